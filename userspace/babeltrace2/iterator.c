// SPDX-License-Identifier: GPL-2.0-only
/*
 * The messages of a CPU: its stream, a packet for each sub-buffer, and the events in it.
 * The events that were lost before a sub-buffer are a message before its packet.
 */
#include <stdlib.h>

#include <linux/rbmap.h>

#include "component.h"

#define HEAD		RBMAP_SUBBUF_HEADER_SIZE
#define NEXT_OK		BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK
#define NEXT_END	BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END
#define NEXT_ERROR	BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR
#define NEXT_MEMORY	BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_MEMORY_ERROR

typedef bt_message_iterator_class_next_method_status next_status;

/* The message that comes next */
enum step { STREAM_BEGIN, SUBBUF, PACKET_BEGIN, EVENT, PACKET_END, ENDED };

/**
 * struct iterator - the messages of a CPU
 * @ts: time of the last message; times never go back
 * @any: there was a packet
 */
struct iterator {
	bt_self_message_iterator *self;
	struct component *component;
	unsigned int cpu;
	enum step step;
	struct rbmap_subbuf sb;
	struct rbmap_cursor cursor;
	bt_packet *packet;
	uint64_t ts;
	bool any;
};

static bt_stream *stream_of(const struct iterator *it)
{
	return it->component->stream[it->cpu];
}

/* Return a time that babeltrace2 can express, and that is not before the last one. */
static uint64_t time_of(const struct iterator *it, uint64_t last, uint64_t ts)
{
	if (ts > it->component->latest)
		ts = it->component->latest;
	return ts < last ? last : ts;
}

/* Return the time of the last event in the sub-buffer, without a step forward. */
static uint64_t end_of(const struct iterator *it, uint64_t begin)
{
	struct rbmap_cursor cursor = { 0 };
	uint64_t end = begin;
	struct rbmap_event ev;

	while (rbmap_decode(it->sb.start, HEAD + it->sb.size, &cursor, &ev) == 1)
		end = time_of(it, end, ev.ts);
	return end;
}

/* CTF 1.8 says that events were lost between the ends of two packets. */
static next_status discarded(struct iterator *it, const bt_message **message)
{
	uint64_t begin = time_of(it, it->ts, it->sb.timestamp), end = end_of(it, begin);
	bt_message *m;

	m = bt_message_discarded_events_create_with_default_clock_snapshots(
		it->self, stream_of(it), it->any ? it->ts : begin, end);
	if (!m)
		return NEXT_MEMORY;
	if (it->sb.lost != RBMAP_LOST_UNKNOWN)
		bt_message_discarded_events_set_count(m, it->sb.lost);
	*message = m;
	return NEXT_OK;
}

static next_status stream_end(struct iterator *it, const bt_message **message)
{
	it->step = ENDED;
	*message = bt_message_stream_end_create(it->self, stream_of(it));
	return *message ? NEXT_OK : NEXT_MEMORY;
}

static next_status next_subbuf(struct iterator *it, const bt_message **message)
{
	struct component *c = it->component;
	int ret = rbmap_recording_next_subbuf(c->recording, it->cpu, &it->sb);

	if (ret < 0) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_MESSAGE_ITERATOR(
			it->self, "%s: %s", c->path, rbmap_strerror(ret));
		return NEXT_ERROR;
	}
	if (!ret)
		return stream_end(it, message);
	it->cursor = (struct rbmap_cursor){ 0 };
	it->step = PACKET_BEGIN;
	return it->sb.lost ? discarded(it, message) : NEXT_OK;
}

static next_status packet_begin(struct iterator *it, const bt_message **message)
{
	bt_field *cpu_id;

	it->packet = bt_packet_create(stream_of(it));
	if (!it->packet)
		return NEXT_MEMORY;
	cpu_id = bt_field_structure_borrow_member_field_by_index(
		bt_packet_borrow_context_field(it->packet), 0);
	bt_field_integer_unsigned_set_value(cpu_id, it->cpu);
	it->ts = time_of(it, it->ts, it->sb.timestamp);
	it->any = true;
	it->step = EVENT;
	*message = bt_message_packet_beginning_create_with_default_clock_snapshot(
		it->self, it->packet, it->ts);
	return *message ? NEXT_OK : NEXT_MEMORY;
}

static next_status packet_end(struct iterator *it, const bt_message **message)
{
	it->step = SUBBUF;
	*message = bt_message_packet_end_create_with_default_clock_snapshot(
		it->self, it->packet, it->ts);
	bt_packet_put_ref(it->packet);
	it->packet = NULL;
	return *message ? NEXT_OK : NEXT_MEMORY;
}

static next_status event(struct iterator *it, const bt_message **message)
{
	struct component *c = it->component;
	struct event_class *class;
	struct rbmap_event ev;
	bt_message *m;

	if (rbmap_decode(it->sb.start, HEAD + it->sb.size, &it->cursor, &ev) != 1)
		return packet_end(it, message);
	class = classes_find(c, &ev);
	if (!class)
		return NEXT_MEMORY;
	it->ts = time_of(it, it->ts, ev.ts);
	m = bt_message_event_create_with_packet_and_default_clock_snapshot(
		it->self, class->class, it->packet, it->ts);
	if (!m)
		return NEXT_MEMORY;
	*message = m;
	return values_set(c, class, bt_message_event_borrow_event(m), &ev) ? NEXT_OK : NEXT_MEMORY;
}

/* Make a message, or only go on: then *message stays NULL. */
static next_status step(struct iterator *it, const bt_message **message)
{
	switch (it->step) {
	case STREAM_BEGIN:
		it->step = SUBBUF;
		*message = bt_message_stream_beginning_create(it->self, stream_of(it));
		return *message ? NEXT_OK : NEXT_MEMORY;
	case SUBBUF:
		return next_subbuf(it, message);
	case PACKET_BEGIN:
		return packet_begin(it, message);
	case EVENT:
		return event(it, message);
	default:
		return NEXT_END;
	}
}

next_status iterator_next(bt_self_message_iterator *self, bt_message_array_const messages,
			  uint64_t room, uint64_t *count)
{
	struct iterator *it = bt_self_message_iterator_get_data(self);
	next_status status = NEXT_OK;

	*count = 0;
	while (status == NEXT_OK && *count < room) {
		const bt_message *message = NULL;

		status = step(it, &message);
		if (message)
			messages[(*count)++] = message;
	}
	if (status == NEXT_END && *count)
		return NEXT_OK;
	if (status != NEXT_OK)
		while (*count)
			bt_message_put_ref(messages[--*count]);
	return status;
}

bt_message_iterator_class_initialize_method_status iterator_begin(
	bt_self_message_iterator *self, bt_self_message_iterator_configuration *configuration,
	bt_self_component_port_output *port)
{
	bt_self_component *component = bt_self_message_iterator_borrow_component(self);
	struct component *c = bt_self_component_get_data(component);
	bt_self_component_port *self_port;
	struct iterator *it;

	(void)configuration;
	it = calloc(1, sizeof(*it));
	if (!it)
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	it->self = self;
	it->component = c;
	self_port = bt_self_component_port_output_as_self_component_port(port);
	it->cpu = (uintptr_t)bt_self_component_port_get_data(self_port);
	if (c->is_read[it->cpu]) {
		free(it);
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_MESSAGE_ITERATOR(
			self, "a component of rbmap can be read once: make another one");
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	c->is_read[it->cpu] = true;
	bt_self_message_iterator_set_data(self, it);
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

void iterator_end(bt_self_message_iterator *self)
{
	struct iterator *it = bt_self_message_iterator_get_data(self);

	bt_packet_put_ref(it->packet);
	free(it);
}
