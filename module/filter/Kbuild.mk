# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/filter/,\
	field.o number.o parse.o verify.o match.o glob.o)

rbmap-writer-y += $(addprefix module/filter/,match.o glob.o)
