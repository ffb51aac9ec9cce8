# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/control/,build.o per_cpu.o self_cost.o)
