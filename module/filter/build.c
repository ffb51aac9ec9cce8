// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together, see Kbuild. */
#include "field.c"
#include "number.c"
#include "parse.c"
#include "verify.c"
