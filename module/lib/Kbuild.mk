# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/lib/,access.o error_log.o)
