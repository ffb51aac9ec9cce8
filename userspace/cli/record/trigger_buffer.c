// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "kernel/control.h"
#include "live/event_select.h"
#include "live/pid_list.h"
#include "trigger_buffer.h"

#define NAME_PREFIX	"trigger"
/* After a file, only the number of further triggers counts. */
#define SIZE_KB		"64"

/* Settings that decide which events are recorded, in an order that loses no thread */
static const char *const copied[] = {
	"tracing_cpumask", "options/event-fork", PID_LIST_ONLY,
};

#define NR_COPIED	(sizeof(copied) / sizeof(*copied))

static bool create(struct anonymous_buffer *kept)
{
	char settings[128], told[1024], *clock = control_clock();
	int ret = clock ? 0 : -errno;

	if (!ret) {
		snprintf(settings, sizeof(settings),
			 "clock=%s buffer_size_kb=" SIZE_KB " overwrite=1", clock);
		ret = anonymous_buffer_create(kept, NAME_PREFIX, settings, told, sizeof(told));
	}
	free(clock);
	if (ret == -EPERM || ret == -EACCES)
		complain("no permission to make a buffer for --trigger-if: run the command as root");
	else if (ret)
		complain("cannot make a buffer for --trigger-if: %s", strerror(-ret));
	return !ret;
}

static bool read_settings_of_events(char *text[NR_COPIED])
{
	for (size_t i = 0; i < NR_COPIED; i++) {
		text[i] = control_read(copied[i]);
		if (!text[i]) {
			control_complain(CONTROL_READ, copied[i], -errno);
			return false;
		}
	}
	return true;
}

static bool write_settings_of_events(char *const text[NR_COPIED])
{
	for (size_t i = 0; i < NR_COPIED; i++) {
		bool is_list = !strcmp(copied[i], PID_LIST_ONLY);

		if (is_list && !*text[i])
			continue;
		if (!(is_list ? pid_list_write : control_set)(copied[i], text[i]))
			return false;
	}
	return true;
}

static bool enable_events(const char *pattern, const char *filter)
{
	struct event_select select = { .filter = filter };
	struct control_events events = { 0 };
	char *patterns[] = { (char *)pattern };
	bool ok = !control_events_read(&events) &&
		  !control_events_demand(&events, patterns, 1) &&
		  !control_select(&events, patterns, 1) &&
		  event_select_filter(&select, &events);

	event_select_keep(&select, &events);
	if (ok)
		ok = !control_enable_selected(&events, true);
	control_events_free(&events);
	return ok;
}

static bool fill(char *const text[NR_COPIED], const char *pattern, const char *filter)
{
	return write_settings_of_events(text) && pid_list_exclude_self(true) &&
	       enable_events(pattern, filter);
}

bool trigger_buffer_begin(struct anonymous_buffer *kept, const char *pattern, const char *filter)
{
	const char *before = control_buffer();
	char *text[NR_COPIED] = { NULL };
	bool ok = read_settings_of_events(text) && create(kept);

	if (ok) {
		control_set_buffer(kept->name);
		ok = fill(text, pattern, filter);
		control_set_buffer(before);
		if (!ok)
			anonymous_buffer_destroy(kept);
	}
	for (size_t i = 0; i < NR_COPIED; i++)
		free(text[i]);
	return ok;
}
