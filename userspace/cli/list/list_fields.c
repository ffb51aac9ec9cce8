// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "base/buf.h"
#include "list_fields.h"

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

void list_fields_print(const struct control_event *ev)
{
	if (!with_event(ev, NULL))
		printf("    its fields are unknown: 'rbmap enable %s:%s' or root's tracefs in %s shows them\n",
		       ev->system, ev->name, TRACEFS);
}

void list_fields_json(struct json *j, const struct control_event *ev)
{
	with_event(ev, j);
}
