// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap list
 */
#include <stdio.h>

#include "common/cli.h"
#include "common/control.h"
#include "common/json.h"

static void print_text(const struct control_events *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct control_event *ev = &events->v[i];
		char name[512];

		if (!ev->selected)
			continue;
		snprintf(name, sizeof(name), "%s:%s", ev->system, ev->name);
		if (ev->unavailable)
			printf("%-40s unavailable: %s\n", name,
			       ev->unavailable);
		else if (ev->enabled)
			printf("%-40s enabled\n", name);
		else
			printf("%s\n", name);
	}
}

static void print_json(const struct control_events *events)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '[');
	for (size_t i = 0; i < events->nr; i++) {
		const struct control_event *ev = &events->v[i];

		if (!ev->selected)
			continue;
		json_open(&j, NULL, '{');
		json_string(&j, "system", ev->system);
		json_string(&j, "event", ev->name);
		json_number(&j, "id", ev->id);
		json_bool(&j, "enabled", ev->enabled);
		json_bool(&j, "available", !ev->unavailable);
		if (ev->unavailable)
			json_string(&j, "reason", ev->unavailable);
		json_close(&j, '}');
	}
	json_close(&j, ']');
}

static int list(int argc, char **argv)
{
	static const struct option longs[] = {
		BUFFER_OPTION,
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	static char all[] = "*:*";
	char *any = all, **patterns = &any;
	struct control_events events;
	bool as_json = false;
	int c, status, nr = 1;

	while ((c = next_option(&command_list, argc, argv, "B:j", longs,
				&status)) != -1) {
		if (c == OPTION_DONE)
			return status;
		as_json |= c == 'j';
	}
	if (control_events_read(&events))
		return STATUS_ERROR;
	if (optind < argc) {
		patterns = argv + optind;
		nr = argc - optind;
	}
	status = STATUS_OK;
	if (events.nr && control_select(&events, patterns, nr))
		status = STATUS_ERROR;
	else if (as_json)
		print_json(&events);
	else
		print_text(&events);
	control_events_free(&events);
	return status;
}

const struct command command_list = {
	.name		= "list",
	.synopsis	= "[-B NAME] [--json] [PATTERN]...",
	.summary	= "List events, whether they are enabled, and why one is unavailable",
	.help		=
	"  -B, --buffer NAME  use the buffer NAME of 'rbmap create'\n"
	"  -j, --json         print JSON\n"
	"\n"
	"PATTERN is SYSTEM:EVENT, the name of an event, or a system for all its events.\n"
	"It may contain the wildcards of the shell: 'sched:*', '*wakeup*'.\n",
	.run		= list,
};
