// SPDX-License-Identifier: GPL-2.0-only
/* A later version of source.c: the record of its event has one more field. */
#define SOURCE_CHANGED
#include "source.c"
