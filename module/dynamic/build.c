// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together, see Kbuild. */
#include "dynamic_event.c"
#include "parse.c"
#include "print.c"
