// SPDX-License-Identifier: GPL-2.0-only
/* Compiled together, see Kbuild. */
#include "callback.c"
#include "record.c"
#include "fetch.c"
