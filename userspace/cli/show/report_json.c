// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "common/json.h"
#include "fields.h"
#include "numbers.h"
#include "report_json.h"

/* Inline, so that the compiler knows the length of a constant. */
static inline __attribute__((always_inline)) void add_text(struct buf *out, const char *text)
{
	buf_add(out, text, strlen(text));
}

/* Append the name of a value, after the value before it. */
static void add_key(struct buf *out, const char *key)
{
	if (out->size && out->data[out->size - 1] != '{')
		add_text(out, ", ");
	json_add_string(out, key, strlen(key));
	add_text(out, ": ");
}

static void add_unsigned(struct buf *out, uint64_t value)
{
	char *at = buf_room(out, NUMBER_MAX);

	if (at)
		buf_end(out, put_decimal(at, value));
}

static void add_signed(struct buf *out, int64_t value)
{
	char *at = buf_room(out, NUMBER_MAX + 1);

	if (at)
		buf_end(out, put_signed(at, value));
}

void report_json_lost(int cpu, uint64_t lost, struct buf *out)
{
	add_text(out, "{\"cpu\": ");
	add_signed(out, cpu);
	add_text(out, ", \"lost\": ");
	if (lost == RBMAP_LOST_UNKNOWN)
		add_text(out, "null");
	else
		add_unsigned(out, lost);
	add_text(out, "}\n");
}

static void add_number(struct buf *out, const char *at, int size, bool is_signed)
{
	uint64_t value = field_number(at, size);

	if (is_signed)
		add_signed(out, sign_extend(value, 8 * size));
	else
		add_unsigned(out, value);
}

static bool is_number_size(int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void add_array(struct buf *out, const struct tep_format_field *f,
		      const char *at, unsigned int size)
{
	unsigned int element = f->elementsize;

	add_key(out, f->name);
	add_text(out, "[");
	for (unsigned int i = 0; i + element <= size; i += element) {
		if (i)
			add_text(out, ", ");
		add_number(out, at + i, element, f->flags & TEP_FIELD_IS_SIGNED);
	}
	add_text(out, "]");
}

/* Store the place of a field's value in a record. */
static void find_value(const struct tep_format_field *f, const char *record,
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

/* Any offset of 16 bits stays within the record or the zeros after it. */
static int add_field(struct buf *out, struct text *t, const struct rbmap_event *ev,
		     const struct tep_format_field *f)
{
	const char *record = ev->data;
	uint32_t offset, size;

	/* A dynamic field that is too small to hold its place. */
	if (f->flags & TEP_FIELD_IS_DYNAMIC && f->size < 4)
		record = text_copy(t, ev);
	if (!record)
		return -ENOMEM;
	find_value(f, record, ev->size, &offset, &size);
	if (offset + size > ev->size)
		record = text_copy(t, ev);
	if (!record)
		return -ENOMEM;
	if (f->flags & TEP_FIELD_IS_STRING) {
		add_key(out, f->name);
		json_add_string(out, record + offset, strnlen(record + offset, size));
	} else if (f->flags & TEP_FIELD_IS_ARRAY) {
		if (is_number_size(f->elementsize))
			add_array(out, f, record + offset, size);
	} else if (is_number_size(size)) {
		add_key(out, f->name);
		add_number(out, record + offset, size, f->flags & TEP_FIELD_IS_SIGNED);
	}
	return 0;
}

static int add_fields(struct buf *out, struct text *t, const struct rbmap_event *ev,
		      const struct tep_event *event)
{
	const struct tep_format_field *f;
	int ret = 0;

	add_key(out, "fields");
	add_text(out, "{");
	for (f = event->format.fields; f && !ret; f = f->next)
		ret = add_field(out, t, ev, f);
	add_text(out, "}");
	return ret;
}

static void add_head(struct buf *out, const struct rbmap_event *ev,
		     const struct text_parts *parts)
{
	const struct rbmap_event_common *common = &parts->common;

	add_text(out, "{\"ts\": ");
	add_unsigned(out, ev->ts);
	add_text(out, ", \"cpu\": ");
	add_signed(out, ev->cpu);
	add_text(out, ", \"pid\": ");
	add_signed(out, common->pid);
	add_text(out, ", \"comm\": ");
	json_add_string(out, parts->comm, strlen(parts->comm));
	add_text(out, ", \"flags\": ");
	add_unsigned(out, common->flags);
	add_text(out, ", \"preempt_count\": ");
	add_unsigned(out, common->preempt_count);
	if (parts->event) {
		add_text(out, ", \"system\": ");
		json_add_string(out, parts->event->system, strlen(parts->event->system));
		add_text(out, ", \"event\": ");
		json_add_string(out, parts->event->name, strlen(parts->event->name));
	} else {
		add_text(out, ", \"type\": ");
		add_unsigned(out, common->type);
	}
	add_text(out, ", \"text\": ");
}

int report_json_event(struct text *t, const struct rbmap_event *ev,
		      const struct text_parts *parts, struct buf *body, struct buf *out)
{
	int ret;

	add_head(out, ev, parts);
	body->size = 0;
	ret = text_add_body(t, ev, parts, body);
	json_add_string(out, body->data, body->size);
	if (!ret && parts->event && parts->whole)
		ret = add_fields(out, t, ev, parts->event);
	add_text(out, "}\n");
	return ret;
}
