// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap list
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "base/buf.h"
#include "base/complain.h"
#include "base/json.h"
#include "base/terminal.h"
#include "command/command.h"
#include "command/options.h"
#include "kernel/control.h"

extern const struct command command_list;

/* ---- fields of events */

#define TRACEFS		"/sys/kernel/tracing"

/* The format of an event that nobody has named yet is tracefs's. */
static char *read_format(const struct control_event *ev)
{
	struct buf b = { 0 };
	char path[1024];

	if (!ev->on_demand) {
		snprintf(path, sizeof(path), "events/%s/%s/format", ev->system, ev->name);
		return control_read(path);
	}
	snprintf(path, sizeof(path), TRACEFS "/events/%s/%s/format", ev->system, ev->name);
	if (buf_read_file(&b, path)) {
		buf_free(&b);
		return NULL;
	}
	buf_add(&b, "", 1);
	if (b.failed)
		buf_free(&b);
	return b.data;
}

/* Return the name of the only field that an expression uses, or NULL. */
static const char *field_of(const struct tep_print_arg *arg)
{
	switch (arg ? arg->type : TEP_PRINT_NULL) {
	case TEP_PRINT_FIELD:
		return arg->field.name;
	case TEP_PRINT_TYPE:
		return field_of(arg->typecast.item);
	case TEP_PRINT_OP:
		if (arg->op.right && arg->op.right->type == TEP_PRINT_ATOM)
			return field_of(arg->op.left);
		return NULL;
	default:
		return NULL;
	}
}

/* Find the names that the print format has for the values of a field. */
static const struct tep_print_flag_sym *values_in(const struct tep_print_arg *arg,
						  const char *field)
{
	const struct tep_print_arg *number = NULL;
	const struct tep_print_flag_sym *values = NULL;
	const char *name;

	if (arg->type == TEP_PRINT_SYMBOL) {
		number = arg->symbol.field;
		values = arg->symbol.symbols;
	} else if (arg->type == TEP_PRINT_FLAGS) {
		number = arg->flags.field;
		values = arg->flags.flags;
	} else if (arg->type == TEP_PRINT_OP) {
		values = arg->op.left ? values_in(arg->op.left, field) : NULL;
		return !values && arg->op.right ? values_in(arg->op.right, field) : values;
	}
	name = field_of(number);
	return name && !strcmp(name, field) ? values : NULL;
}

static const struct tep_print_flag_sym *values_of(const struct tep_event *event,
						  const char *field)
{
	const struct tep_print_flag_sym *values = NULL;

	for (const struct tep_print_arg *arg = event->print_fmt.args; arg && !values;
	     arg = arg->next)
		values = values_in(arg, field);
	return values;
}

static void print_fields(const struct tep_event *event)
{
	for (const struct tep_format_field *f = event->format.fields; f; f = f->next) {
		const struct tep_print_flag_sym *value = values_of(event, f->name);

		printf("    %s %s", f->type, f->name);
		for (const char *separator = ":"; value; value = value->next) {
			printf("%s %s=%s", separator, value->value, value->str);
			separator = ",";
		}
		putchar('\n');
	}
	if (event->print_fmt.format)
		printf("    prints: %s\n", event->print_fmt.format);
}

static void json_fields(struct json *j, const struct tep_event *event)
{
	json_open(j, "fields", '[');
	for (const struct tep_format_field *f = event->format.fields; f; f = f->next) {
		const struct tep_print_flag_sym *value = values_of(event, f->name);

		json_open(j, NULL, '{');
		json_string(j, "name", f->name);
		json_string(j, "type", f->type);
		json_number(j, "offset", f->offset);
		json_number(j, "size", f->size);
		json_bool(j, "signed", f->flags & TEP_FIELD_IS_SIGNED);
		if (value)
			json_open(j, "values", '{');
		for (const struct tep_print_flag_sym *v = value; v; v = v->next)
			json_string(j, v->value, v->str);
		if (value)
			json_close(j, '}');
		json_close(j, '}');
	}
	json_close(j, ']');
	if (event->print_fmt.format)
		json_string(j, "prints", event->print_fmt.format);
}

/* Parse the format, and give it to one of the two functions. */
static bool with_event(const struct control_event *ev, struct json *j)
{
	struct tep_handle *tep = tep_alloc();
	char *format = read_format(ev);
	struct tep_event *event = NULL;

	if (tep && format) {
		tep_set_long_size(tep, sizeof(long));
		tep_parse_format(tep, &event, format, strlen(format), ev->system);
	}
	if (event && j)
		json_fields(j, event);
	else if (event)
		print_fields(event);
	if (tep)
		tep_free(tep);
	free(format);
	return event;
}

static void list_fields_print(const struct control_event *ev)
{
	if (!with_event(ev, NULL))
		printf("    its fields are unknown: 'rbmap enable %s:%s' or root's tracefs in %s shows them\n",
		       ev->system, ev->name, TRACEFS);
}

static void list_fields_json(struct json *j, const struct control_event *ev)
{
	with_event(ev, j);
}

/* ---- events */

#define DYNAMIC_EVENTS	"/sys/kernel/tracing/dynamic_events"

/* DYNAMIC_EVENTS has no system of events that a process has made: user_events, user_events_multi. */
#define USER_EVENTS	"user_events"

/* A blank or, for a synthetic event, a tab follows the name. */
static bool has_name(const char *lines, const char *name)
{
	const size_t len = strlen(name);

	while ((lines = strstr(lines, name))) {
		lines += len;
		if (strchr(" \t\n", *lines))
			return true;
	}
	return false;
}

/* Has somebody made the event in tracefs, which root may read? */
static bool is_made(const struct control_event *ev)
{
	static struct buf lines;
	char name[512];

	if (!strncmp(ev->system, USER_EVENTS, strlen(USER_EVENTS)))
		return true;
	if (!lines.size) {
		buf_read_file(&lines, DYNAMIC_EVENTS);
		buf_add(&lines, "", 1);
	}
	snprintf(name, sizeof(name), ":%s/%s", ev->system, ev->name);
	return !lines.failed && has_name(lines.data, name);
}

/* Does the kernel record memory of the process, too, with this system call? */
static bool has_memory_of_process(const struct control_event *ev)
{
	char *format = read_format(ev);
	bool has = format && strstr(format, "__data_loc");

	free(format);
	return has;
}

/* A kernel that does so with any system call does it with the file name of openat. */
static const char *source_of_syscall(const struct control_event *ev)
{
	static const struct control_event openat = {
		.system = "syscalls", .name = "sys_enter_openat", .on_demand = true,
	};
	static int any = -1;

	if (any < 0)
		any = has_memory_of_process(&openat);
	return is_made(ev) || (any && has_memory_of_process(ev)) ? "foreign" : "syscall";
}

/* Return the text of the file `source`, also before there is one. The caller frees it. */
static char *source_of(const struct control_event *ev)
{
	char path[1024];

	if (ev->on_demand)
		return strdup(!strcmp(ev->system, "syscalls") ? source_of_syscall(ev) :
			      is_made(ev) ? "foreign" : "kernel");
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
	if (ev->waiting)
		printf(" %swaiting%s %s", colour_begin(COLOUR_WARNING),
		       colour_end(COLOUR_WARNING), ev->waiting);
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
		if (ev->waiting)
			json_string(&j, "waiting", ev->waiting);
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
