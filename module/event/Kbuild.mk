# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/event/,build.o build_writer.o)

rbmap-writer-y += module/event/build_writer.o
