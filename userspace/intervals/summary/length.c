// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "length.h"

uint64_t length_ns(const struct time_view *time, uint64_t length)
{
	if (!time->is_counter || !time->real)
		return length;
	return (unsigned __int128)length * time->real_step / time->ring_step;
}

char *length_text(const struct time_view *time, uint64_t length, char text[LENGTH_ROOM])
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };
	uint64_t ns = length_ns(time, length), whole = ns, rest = 0;
	unsigned int i;

	if (time->is_counter && !time->real) {
		snprintf(text, LENGTH_ROOM, "%" PRIu64, length);
		return text;
	}
	for (i = 0; whole >= 1000 && i < 3; i++) {
		rest = whole % 1000;
		whole /= 1000;
	}
	if (!i || whole >= 100)
		snprintf(text, LENGTH_ROOM, "%" PRIu64 "%s", whole, unit[i]);
	else if (whole >= 10)
		snprintf(text, LENGTH_ROOM, "%" PRIu64 ".%u%s", whole,
			 (unsigned int)rest / 100, unit[i]);
	else
		snprintf(text, LENGTH_ROOM, "%" PRIu64 ".%02u%s", whole,
			 (unsigned int)rest / 10, unit[i]);
	return text;
}
