// SPDX-License-Identifier: GPL-2.0-only
#include <rbmap.h>
#include <stdlib.h>

#include "kernel/control.h"
#include "moment.h"

int moment_clock(void)
{
	char *text = control_read("trace_clock");
	int clock = text ? control_clock_of(text) : -1;

	free(text);
	return clock;
}

void moment_take(struct rbmap_moment *moment, int clock)
{
	struct rbmap_moment m = { 0 };

	/* After an error all numbers stay 0. */
	rbmap_moment_now(&m, clock, control_dir());
	*moment = (struct rbmap_moment){
		.ring = m.ring,
		.real = m.real,
		.boot = m.boot,
		.tai_offset = m.tai_offset,
		.error = m.error,
	};
}
