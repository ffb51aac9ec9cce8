# SPDX-License-Identifier: GPL-2.0-only
#
# A module of its own, which rbmap does not need.
rbmap_selftest-y += $(addprefix module/selftest/,main.o contexts.o nmi.o writer.o)
