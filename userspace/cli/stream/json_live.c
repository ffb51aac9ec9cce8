// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <sys/utsname.h>

#include "json_live.h"
#include "kernel/control.h"
#include "live/moment.h"
#include "print/json_head.h"

void json_live_head(struct buf *out)
{
	int clock = moment_clock();
	const char *name = clock < 0 ? NULL : control_clock_name(clock);
	char text[sizeof(struct utsname)];
	struct dat_times times = { 0 };
	struct time_view view;
	struct utsname u;

	uname(&u);
	snprintf(text, sizeof(text), "%s %s %s %s", u.sysname, u.nodename, u.release, u.machine);
	moment_take(&times.begin, clock);
	time_view_init(&view, &times, clock_is_counter(name));
	json_head_add(name, text, &view, NULL, out);
}
