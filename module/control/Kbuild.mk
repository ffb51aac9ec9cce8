# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/control/,\
	control.o dir.o per_cpu.o sizes.o events.o pids.o dynamic_events.o \
	access.o self_cost.o)
