// SPDX-License-Identifier: GPL-2.0-only
/*
 * A later version of source.c: the record of its event has one more field.  While the event of
 * number 77 is recorded, another one happens, for which the kernel has no record then.
 */
#define SOURCE_CHANGED
#include "source.c"

static u32 source_nested(int number)
{
	if (number == 77)
		trace_source_hit(0, "", source_words);
	return number;
}
