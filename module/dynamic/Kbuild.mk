# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/dynamic/,build.o build_writer.o)

rbmap-writer-y += module/dynamic/build_writer.o
