# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/event/,\
	registry.o validate.o reserve.o event_set.o tracepoints.o format.o \
	filter.o pids.o wanted.o self_cost.o)

rbmap-writer-y += $(addprefix module/event/,reserve.o wanted.o self_cost.o)
