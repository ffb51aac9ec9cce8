# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/dynamic/,\
	callback.o dynamic_event.o fetch.o parse.o print.o record.o)

rbmap-writer-y += $(addprefix module/dynamic/,callback.o record.o fetch.o)
