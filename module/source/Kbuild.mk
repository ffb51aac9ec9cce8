# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/source/,build.o build_writer.o)
# In user-mode Linux CPUs have no registers for their own data.
ifneq ($(CONFIG_X86_64)$(CONFIG_ARM64),)
ifeq ($(CONFIG_UML),)
rbmap-y += module/source/count.o
endif
endif

rbmap-writer-y += module/source/build_writer.o
