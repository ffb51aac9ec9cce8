# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/filter/,build.o build_writer.o)

rbmap-writer-y += module/filter/build_writer.o
