// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_filter.h"
#include "module/filter/filter.h"

/* For the functions of platform.h: one thread matches events. */
int rbmap_filter_cpu_now;
char rbmap_filter_comm_now[16];

/**
 * struct event_filter - a compiled expression
 * @need: bytes that an event must have
 */
struct event_filter {
	struct rbmap_filter *program;
	size_t need;
	bool needs_comm;
};

/* The argument of find_field() */
struct search {
	const struct rbmap_format *format;
	struct event_filter_error *error;
};

static const struct rbmap_format_field *field_of(const struct rbmap_format *format,
						 const char *name, size_t len, bool common)
{
	const struct rbmap_format_field *field;

	for (uint32_t i = 0; (field = rbmap_format_field(format, i)); i++)
		if (!(field->flags & RBMAP_FIELD_COMMON) == !common &&
		    strlen(field->name) == len && !memcmp(field->name, name, len))
			return field;
	return NULL;
}

/* The kernel's language has no strings whose place counts from the end of their field. */
static bool describe(const struct rbmap_format_field *field, struct rbmap_filter_field *found)
{
	int len = !(field->flags & RBMAP_FIELD_ARRAY) || field->flags & RBMAP_FIELD_DYNAMIC ? 0 :
		  field->size ? 1 : -1;

	if (field->flags & RBMAP_FIELD_RELATIVE)
		return false;
	found->offset = field->offset;
	found->size = field->size;
	found->is_signed = field->flags & RBMAP_FIELD_SIGNED;
	found->kind = rbmap_filter_kind_of(field->type, len);
	return true;
}

/* As in the kernel, generic names come before the fields that all events have. */
static bool find_field(const void *data, const char *name, size_t len,
		       struct rbmap_filter_field *found)
{
	const struct search *search = data;
	const struct rbmap_format_field *field = field_of(search->format, name, len, false);

	if (field ? describe(field, found) : rbmap_filter_find_generic(name, len, found))
		return true;
	field = field ? NULL : field_of(search->format, name, len, true);
	if (field && describe(field, found))
		return true;
	search->error->field = name;
	search->error->field_len = len;
	return false;
}

bool event_filter_is_generic(const char *name, size_t len)
{
	struct rbmap_filter_field found;

	return rbmap_filter_find_generic(name, len, &found);
}

/* Find what the program reads. Strings up to the end of an event may be missing. */
static void find_needs(struct event_filter *filter)
{
	for (unsigned int i = 0; i < filter->program->nr; i++) {
		const struct rbmap_filter_op *op = &filter->program->op[i];
		size_t end = op->offset + op->size;

		if (op->test == RBMAP_TEST_NEVER)
			continue;
		filter->needs_comm |= op->kind == RBMAP_FILTER_COMM;
		if (op->kind <= RBMAP_FILTER_DYNAMIC && filter->need < end)
			filter->need = end;
	}
}

int event_filter_new(struct event_filter **result, const char *expression,
		     const struct rbmap_format *format, struct event_filter_error *error)
{
	struct event_filter *filter = calloc(1, sizeof(*filter));
	struct search search = { format, error };
	struct rbmap_filter_error parse_error;

	*error = (struct event_filter_error){ 0 };
	if (!filter)
		return -ENOMEM;
	filter->program = rbmap_filter_parse(expression, find_field, &search, &parse_error);
	if (filter->program) {
		find_needs(filter);
		/* The format is that of a file, so nothing is taken for granted. */
		if (rbmap_filter_verify(filter->program, filter->need)) {
			*result = filter;
			return 0;
		}
		parse_error.message = "The fields lie outside of the event";
	}
	event_filter_free(filter);
	error->message = parse_error.message;
	error->at = parse_error.at;
	if (!error->message)
		return -ENOMEM;
	return error->field ? -ENOENT : -EINVAL;
}

void event_filter_free(struct event_filter *filter)
{
	if (!filter)
		return;
	rbmap_filter_free(filter->program);
	free(filter);
}

bool event_filter_needs_comm(const struct event_filter *filter)
{
	return filter->needs_comm;
}

/* Bytes behind the 0 are 0, as in the kernel. */
static void set_comm(const char *comm)
{
	size_t len = strnlen(comm, sizeof(rbmap_filter_comm_now) - 1);

	memset(rbmap_filter_comm_now, 0, sizeof(rbmap_filter_comm_now));
	memcpy(rbmap_filter_comm_now, comm, len);
}

bool event_filter_match(const struct event_filter *filter, const struct rbmap_event *ev,
			const char *comm)
{
	if (ev->size < filter->need)
		return false;
	rbmap_filter_cpu_now = ev->cpu;
	if (filter->needs_comm)
		set_comm(comm);
	return rbmap_filter_match(filter->program, ev->data, ev->data, ev->size);
}
