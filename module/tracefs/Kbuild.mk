# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += $(addprefix module/tracefs/,tree.o tracefs.o)
