# SPDX-License-Identifier: GPL-2.0-only
rbmap-ring-y := $(addprefix module/ring/,ring.o writer.o reader.o)

rbmap-y += $(rbmap-ring-y)
rbmap-writer-y += $(rbmap-ring-y)
