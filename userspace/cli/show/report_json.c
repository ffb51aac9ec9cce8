// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "common/json.h"
#include "report_json.h"

void report_json_lost(int cpu, uint64_t lost)
{
	struct json j = { .out = stdout, .compact = true };

	json_open(&j, NULL, '{');
	json_number(&j, "cpu", cpu);
	if (lost == RBMAP_LOST_UNKNOWN)
		json_null(&j, "lost");
	else
		json_unsigned(&j, "lost", lost);
	json_close(&j, '}');
}

static uint64_t load(const char *at, int size, bool is_signed)
{
	uint64_t value = 0;

	switch (size) {
	case 1: {
		uint8_t v;

		memcpy(&v, at, 1);
		value = is_signed ? (uint64_t)(int8_t)v : v;
		break;
	}
	case 2: {
		uint16_t v;

		memcpy(&v, at, 2);
		value = is_signed ? (uint64_t)(int16_t)v : v;
		break;
	}
	case 4: {
		uint32_t v;

		memcpy(&v, at, 4);
		value = is_signed ? (uint64_t)(int32_t)v : v;
		break;
	}
	case 8:
		memcpy(&value, at, 8);
		break;
	}
	return value;
}

static void print_number(struct json *j, const char *key, const char *at,
			 int size, bool is_signed)
{
	if (is_signed)
		json_number(j, key, load(at, size, true));
	else
		json_unsigned(j, key, load(at, size, false));
}

static bool is_number_size(int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Any offset of 16 bits stays within the record or the zeros after it. */
static void print_field(struct json *j, const struct tep_format_field *f,
			const char *record, uint32_t record_size)
{
	bool is_signed = f->flags & TEP_FIELD_IS_SIGNED;
	unsigned int offset = f->offset, size = f->size;
	int element;

	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		uint32_t loc = load(record + offset, 4, false);

		if (f->flags & TEP_FIELD_IS_RELATIVE)
			offset += size + (loc & 0xffff);
		else
			offset = loc & 0xffff;
		size = loc >> 16;
	}
	/* "char buf[]" extends to the end of the event. */
	if (!size && !(f->flags & TEP_FIELD_IS_DYNAMIC) &&
	    offset < record_size)
		size = record_size - offset;
	if (f->flags & TEP_FIELD_IS_STRING) {
		json_bytes(j, f->name, record + offset,
			   strnlen(record + offset, size));
		return;
	}
	if (!(f->flags & TEP_FIELD_IS_ARRAY)) {
		if (is_number_size(size))
			print_number(j, f->name, record + offset, size,
				     is_signed);
		return;
	}
	element = f->elementsize;
	if (!is_number_size(element))
		return;
	json_open(j, f->name, '[');
	for (unsigned int i = 0; i + element <= size; i += element)
		print_number(j, NULL, record + offset + i, element, is_signed);
	json_close(j, ']');
}

void report_json_event(const struct rbmap_event *ev,
		       const struct text_parts *parts)
{
	struct json j = { .out = stdout, .compact = true };
	const struct tep_format_field *f;

	json_open(&j, NULL, '{');
	json_unsigned(&j, "ts", ev->ts);
	json_number(&j, "cpu", ev->cpu);
	json_number(&j, "pid", parts->common.pid);
	json_string(&j, "comm", parts->comm);
	json_unsigned(&j, "flags", parts->common.flags);
	json_unsigned(&j, "preempt_count", parts->common.preempt_count);
	if (parts->event) {
		json_string(&j, "system", parts->event->system);
		json_string(&j, "event", parts->event->name);
	} else {
		json_unsigned(&j, "type", parts->common.type);
	}
	json_string(&j, "text", parts->body);
	if (parts->event && parts->whole) {
		json_open(&j, "fields", '{');
		for (f = parts->event->format.fields; f; f = f->next)
			print_field(&j, f, parts->record, ev->size);
		json_close(&j, '}');
	}
	json_close(&j, '}');
}
