# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/lib/,access.o error_log.o)
ifeq ($(CONFIG_X86)$(CONFIG_X86_64),yy)
rbmap-y += module/lib/local_clock.o
endif
