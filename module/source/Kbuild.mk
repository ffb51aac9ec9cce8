# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += module/source/build.o
