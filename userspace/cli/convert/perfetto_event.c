// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "perfetto_event.h"
#include "perfetto_value.h"
#include "print/line.h"
#include "print/session_formats.h"
#include "wire.h"

/* Fields of FtraceEvent */
#define TIMESTAMP	1
#define PID		2

/**
 * struct perfetto_packer - the layouts by which events are packed, and the present event
 * @layout: by the ids of events; NULL: not needed yet
 * @text_marker: the layout for markers that are no slices and no counters
 * @unknown: the layout for events without a known format
 * @body: the text that rbmap report prints for such an event
 * @ready, @pid, @ts, @message_size: the event that was prepared
 */
struct perfetto_packer {
	struct print_session *session;
	struct print_line *line;
	struct perfetto_layout *layout[NR_EVENT_IDS];
	struct perfetto_layout *text_marker;
	struct perfetto_layout *unknown;
	struct buf body;
	struct perfetto_values values;
	const struct perfetto_layout *ready;
	uint32_t pid;
	uint64_t ts;
	size_t message_size;
};

struct perfetto_packer *perfetto_packer_new(struct print_line *line)
{
	struct perfetto_packer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->session = print_line_session(line);
	p->line = line;
	p->values.line = line;
	p->values.room = malloc(VALUES_MAX);
	if (!p->values.room) {
		free(p);
		return NULL;
	}
	return p;
}

void perfetto_packer_free(struct perfetto_packer *p)
{
	if (!p)
		return;
	for (int id = 0; id < NR_EVENT_IDS; id++)
		perfetto_layout_free(p->layout[id]);
	perfetto_layout_free(p->text_marker);
	perfetto_layout_free(p->unknown);
	buf_free(&p->body);
	free(p->values.room);
	free(p);
}

/* Make the layout of one unknown event after the other. */
static int set_unknown(struct perfetto_packer *p, const char *name, const char *field)
{
	perfetto_layout_free(p->unknown);
	p->unknown = perfetto_layout_unknown(name, field);
	if (!p->unknown || p->body.failed)
		return -ENOMEM;
	perfetto_values_set_text(p->unknown, p->body.data, p->body.size);
	p->ready = p->unknown;
	return 0;
}

/* An event that is not whole has no values: use the text that says so. */
static int prepare_text(struct perfetto_packer *p, const struct rbmap_event *ev,
			const struct event_parts *parts)
{
	struct buf name = { 0 };
	int ret;

	if (print_session_event(p->session, parts->common.type))
		print_session_add_name(p->session, parts->common.type, &name);
	else
		buf_printf(&name, "event %u", parts->common.type);
	buf_add(&name, "", 1);
	ret = print_line_add_body(p->line, ev, parts, &p->body);
	if (name.failed)
		ret = -ENOMEM;
	if (!ret)
		ret = set_unknown(p, name.data, "text");
	buf_free(&name);
	return ret;
}

static int prepare_bytes(struct perfetto_packer *p, const struct rbmap_event *ev)
{
	const unsigned char *data = ev->data;

	for (uint32_t i = 0; i < ev->size; i++)
		buf_printf(&p->body, "%02x", data[i]);
	return set_unknown(p, "event", "data");
}

/* Go behind "PID". Return NULL without a number, or for one of more than 32 bits. */
static const char *skip_pid(const char *at, const char *end)
{
	const char *begin = at;
	uint64_t pid = 0;

	for (; at < end && isdigit((unsigned char)*at) && pid <= UINT32_MAX; at++)
		pid = pid * 10 + *at - '0';
	return at == begin || pid > UINT32_MAX ? NULL : at;
}

/* Test whether the text is "NAME|NUMBER", or "NAME|NUMBER|" and more. */
static bool is_counter(const char *text, const char *end)
{
	const char *bar = memchr(text, '|', end - text), *number, *number_end;
	char digits[24], *rest;

	if (!bar || bar == text)
		return false;
	number = bar + 1;
	number_end = memchr(number, '|', end - number);
	if (!number_end)
		number_end = end;
	if (number == number_end || (size_t)(number_end - number) >= sizeof(digits))
		return false;
	memcpy(digits, number, number_end - number);
	digits[number_end - number] = 0;
	errno = 0;
	strtoll(digits, &rest, 10);
	return !errno && rest != digits && !*rest;
}

/*
 * Test whether the text is a slice's beginning or end, or a counter: "B|PID|NAME", "E|PID" or
 * "E", "C|PID|NAME|NUMBER". Perfetto counts an error for each other text.
 */
static bool is_slice_or_counter(const struct tep_format_field *field, const struct rbmap_event *ev)
{
	const char *text = (const char *)ev->data + field->offset, *end, *rest;
	size_t len = ev->size > (size_t)field->offset ? ev->size - field->offset : 0;

	len = strnlen(text, len);
	while (len && text[len - 1] == '\n')
		len--;
	end = text + len;
	if (len == 1)
		return *text == 'E';
	if (len < 3 || !strchr("BEC", *text) || text[1] != '|')
		return false;
	rest = skip_pid(text + 2, end);
	if (!rest)
		return false;
	if (rest == end)
		return *text == 'E';
	return *rest == '|' && (*text != 'C' || is_counter(rest + 1, end));
}

static int prepare_values(struct perfetto_packer *p, const struct rbmap_event *ev, int id)
{
	struct perfetto_layout **layout = &p->layout[id];

	if (!*layout)
		*layout = perfetto_layout_new(p->session, id);
	if (*layout && (*layout)->marker && !is_slice_or_counter((*layout)->marker, ev)) {
		layout = &p->text_marker;
		if (!*layout)
			*layout = perfetto_layout_generic(p->session, id);
	}
	if (!*layout)
		return -ENOMEM;
	p->ready = *layout;
	perfetto_values_begin(&p->values);
	return perfetto_values_set(&p->values, *layout, ev);
}

static int find_message(struct perfetto_packer *p, const struct rbmap_event *ev,
			const struct event_parts *parts)
{
	p->body.size = 0;
	if (!parts)
		return prepare_bytes(p, ev);
	if (!parts->info || !parts->whole)
		return prepare_text(p, ev, parts);
	return prepare_values(p, ev, parts->common.type);
}

int perfetto_packer_prepare(struct perfetto_packer *p, const struct rbmap_event *ev,
			    const struct event_parts *parts, size_t *size)
{
	int ret = find_message(p, ev, parts);

	if (ret)
		return ret;
	p->ts = ev->ts;
	p->pid = parts ? parts->common.pid : 0;
	p->message_size = protobuf_c_message_get_packed_size(p->ready->message);
	*size = wire_size(wire_tag(TIMESTAMP, WIRE_NUMBER)) + wire_size(p->ts) +
		wire_size(wire_tag(PID, WIRE_NUMBER)) + wire_size(p->pid) +
		wire_size(wire_tag(p->ready->number, WIRE_BYTES)) + wire_size(p->message_size) +
		p->message_size;
	return 0;
}

char *perfetto_packer_put(const struct perfetto_packer *p, char *at)
{
	at = put_wire(at, wire_tag(TIMESTAMP, WIRE_NUMBER));
	at = put_wire(at, p->ts);
	at = put_wire(at, wire_tag(PID, WIRE_NUMBER));
	at = put_wire(at, p->pid);
	at = put_wire(at, wire_tag(p->ready->number, WIRE_BYTES));
	at = put_wire(at, p->message_size);
	return at + protobuf_c_message_pack(p->ready->message, (uint8_t *)at);
}
