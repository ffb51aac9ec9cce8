# SPDX-License-Identifier: GPL-2.0-only
rbmap-y += module/probes/build.o
