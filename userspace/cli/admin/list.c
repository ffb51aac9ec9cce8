// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap list
 */
#include <stdio.h>

#include "common/cli.h"
#include "common/colour.h"
#include "common/control.h"
#include "common/json.h"
#include "common/options.h"

static void print_text(const struct control_events *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct control_event *ev = &events->v[i];
		char name[512];

		if (!ev->selected)
			continue;
		snprintf(name, sizeof(name), "%s:%s", ev->system, ev->name);
		if (ev->unavailable)
			printf("%-40s %sunavailable%s: %s\n", name,
			       colour_begin(COLOUR_WARNING), colour_end(COLOUR_WARNING),
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

struct list_options {
	bool as_json;
};

static const struct cli_option options[] = {
	BUFFER_OPTION,
	JSON_OPTION(struct list_options, as_json),
	{ 0 }
};

static int list(int argc, char **argv)
{
	static char all[] = "*:*";
	char *any = all, **patterns = &any;
	struct control_events events;
	struct list_options o = { 0 };
	int status, nr = 1;

	if (!parse_options(&command_list, argc, argv, &o, &status))
		return status;
	if (control_events_read(&events))
		return STATUS_ERROR;
	if (optind < argc) {
		patterns = argv + optind;
		nr = argc - optind;
	}
	status = STATUS_OK;
	if (events.nr && control_select(&events, patterns, nr))
		status = STATUS_ERROR;
	else if (o.as_json)
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
	.options	= options,
	.help		=
	"PATTERN is SYSTEM:EVENT, the name of an event, or a system for all its events.\n"
	"It may contain the wildcards of the shell: 'sched:*', '*wakeup*'.\n",
	.run		= list,
};
