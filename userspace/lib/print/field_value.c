// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "line.h"
#include "field_value.h"
#include "print/fields/fields.h"

static bool is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

enum field_kind field_value_kind(const struct tep_format_field *f)
{
	if (f->flags & TEP_FIELD_IS_STRING)
		return FIELD_STRING;
	if (f->flags & TEP_FIELD_IS_ARRAY)
		return is_number_size(f->elementsize) ? FIELD_ARRAY : FIELD_NONE;
	return FIELD_NUMBER;
}

/* Store the place of a field's value in a record. */
static void find_place(const struct tep_format_field *f, const char *record,
		       uint32_t record_size, uint32_t *offset, uint32_t *size)
{
	*offset = f->offset;
	*size = f->size;
	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		field_place(record, f->offset, f->size, f->flags & TEP_FIELD_IS_RELATIVE,
			    offset, size);
	} else if (!*size && *offset < record_size) {
		/* "char buf[]" extends to the end of the event. */
		*size = record_size - *offset;
	}
}

/* Any offset of 16 bits stays within the record or the zeros after its copy. */
int field_value_find(struct print_line *line, const struct rbmap_event *ev,
		     const struct tep_format_field *f, struct field_value *value)
{
	const char *record = ev->data;
	uint32_t offset;

	/* A dynamic field that is too small to hold its place. */
	if (f->flags & TEP_FIELD_IS_DYNAMIC && f->size < 4)
		record = print_line_copy(line, ev);
	if (!record)
		return -ENOMEM;
	find_place(f, record, ev->size, &offset, &value->size);
	if (offset + value->size > ev->size)
		record = print_line_copy(line, ev);
	if (!record)
		return -ENOMEM;
	value->at = record + offset;
	value->kind = field_value_kind(f);
	if (value->kind == FIELD_STRING)
		value->size = strnlen(value->at, value->size);
	else if (value->kind == FIELD_NUMBER && !is_number_size(value->size))
		value->kind = FIELD_NONE;
	return 0;
}
