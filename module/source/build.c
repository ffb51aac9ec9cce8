// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together, see Kbuild. */
#include "tracepoint.c"
