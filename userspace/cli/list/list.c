// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap list
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/colour.h"
#include "base/complain.h"
#include "base/json.h"
#include "command/command.h"
#include "command/options.h"
#include "kernel/control.h"
#include "list_fields.h"

extern const struct command command_list;

#define DYNAMIC_EVENTS	"/sys/kernel/tracing/dynamic_events"

/* Has somebody made the event in tracefs, which root may read? */
static bool is_made(const struct control_event *ev)
{
	static struct buf lines;
	char name[512];

	if (!lines.size) {
		buf_read_file(&lines, DYNAMIC_EVENTS);
		buf_add(&lines, "", 1);
	}
	snprintf(name, sizeof(name), ":%s/%s ", ev->system, ev->name);
	return !lines.failed && strstr(lines.data, name);
}

/* Return the text of the file `source`, also before there is one. The caller frees it. */
static char *source_of(const struct control_event *ev)
{
	char path[1024];

	if (ev->on_demand)
		return strdup(!strcmp(ev->system, "syscalls") || is_made(ev) ? "foreign" :
			      "kernel");
	snprintf(path, sizeof(path), "events/%s/%s/source", ev->system, ev->name);
	return control_read(path);
}

static void print_event(const struct control_event *ev)
{
	char *source = source_of(ev), name[512];

	snprintf(name, sizeof(name), "%s:%s", ev->system, ev->name);
	printf("%-40s %-8s", name, source ? source : "?");
	if (ev->unavailable)
		printf(" %sunavailable%s: %s", colour_begin(COLOUR_WARNING),
		       colour_end(COLOUR_WARNING), ev->unavailable);
	else if (ev->enabled)
		printf(" enabled");
	putchar('\n');
	free(source);
}

static void print_text(const struct control_events *events, bool with_fields)
{
	for (size_t i = 0; i < events->nr; i++) {
		if (!events->v[i].selected)
			continue;
		print_event(&events->v[i]);
		if (with_fields)
			list_fields_print(&events->v[i]);
	}
}

static void print_json(const struct control_events *events, bool with_fields)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '[');
	for (size_t i = 0; i < events->nr; i++) {
		struct control_event *ev = &events->v[i];
		char *source;
		int id;

		if (!ev->selected)
			continue;
		source = source_of(ev);
		id = ev->on_demand ? -1 : control_event_id(ev);
		json_open(&j, NULL, '{');
		json_string(&j, "system", ev->system);
		json_string(&j, "event", ev->name);
		if (id >= 0)
			json_number(&j, "id", id);
		json_string(&j, "source", source ? source : "?");
		json_bool(&j, "enabled", ev->enabled);
		json_bool(&j, "available", !ev->unavailable);
		if (ev->unavailable)
			json_string(&j, "reason", ev->unavailable);
		if (with_fields)
			list_fields_json(&j, ev);
		json_close(&j, '}');
		free(source);
	}
	json_close(&j, ']');
}

struct list_options {
	bool as_json;
	bool with_fields;
};

static const struct cli_option options[] = {
	BUFFER_OPTION,
	JSON_OPTION(struct list_options, as_json),
	{ .name = "verbose", .letter = 'v',
	  .target = FLAG(struct list_options, with_fields),
	  .help = "with each event's fields, and the names of values" },
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
	if (control_events_read_available(&events))
		return STATUS_ERROR;
	if (optind < argc) {
		patterns = argv + optind;
		nr = argc - optind;
	}
	status = STATUS_OK;
	if (events.nr && control_select(&events, patterns, nr))
		status = STATUS_ERROR;
	else if (o.as_json)
		print_json(&events, o.with_fields);
	else
		print_text(&events, o.with_fields);
	control_events_free(&events);
	return status;
}

const struct command command_list = {
	.name		= "list",
	.synopsis	= "[-B NAME] [-v] [--json] [PATTERN]...",
	.summary	= "List all events, where they come from, and whether they are enabled",
	.options	= options,
	.help		=
	"PATTERN is SYSTEM:EVENT, the name of an event, or a system for all its events.\n"
	"It may contain the wildcards of the shell: 'sched:*', '*wakeup*'.\n"
	"'kernel' events cost about as much as in ftrace, 'built in' ones a third.\n",
	.run		= list,
};
