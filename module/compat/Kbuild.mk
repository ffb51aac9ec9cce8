# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += module/compat/context.o module/compat/text.o

rbmap-writer-y += module/compat/context.o
