// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events that were lost before a sub-buffer are a message before its packet. An idle CPU
 * has packets without events: other CPUs' events wait for them, up to their time.
 */
#include <stdlib.h>

#include <linux/rbmap.h>

#include "fields.h"
#include "messages.h"
#include "trace.h"

#define HEAD		RBMAP_SUBBUF_HEADER_SIZE
#define NEXT_OK		BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK
#define NEXT_END	BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END
#define NEXT_AGAIN	BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_AGAIN
#define NEXT_ERROR	BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR
#define NEXT_MEMORY	BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_MEMORY_ERROR
#define INIT_OK		BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK
#define INIT_ERROR	BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_ERROR
#define INIT_MEMORY	BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR

typedef bt_message_iterator_class_next_method_status next_status;

/* The message that comes next */
enum step { STREAM_BEGIN, SUBBUF, PACKET_BEGIN, EVENT, PACKET_END, ENDED };

/**
 * struct iterator - the messages of a stream
 * @stream: its index
 * @sb: the sub-buffer, or the part of it that is new
 * @start: where the last sub-buffer with events begins
 * @cursor: the place in it
 * @ts: time of the last message; times never go back
 * @any: there was a packet
 * @quiet: time of the last message of an idle or absent CPU
 */
struct iterator {
	bt_self_message_iterator *self;
	struct trace *trace;
	unsigned int stream;
	enum step step;
	struct rbmap_subbuf sb;
	const void *start;
	struct rbmap_cursor cursor;
	bt_packet *packet;
	uint64_t ts;
	bool any;
	uint64_t quiet;
};

/* Store the message that was made; NULL: out of memory. */
static next_status made(const bt_message *m, const bt_message **message)
{
	*message = m;
	return m ? NEXT_OK : NEXT_MEMORY;
}

static bt_stream *stream_of(const struct iterator *it)
{
	return it->trace->stream[it->stream];
}

/*
 * Return the time of an event or of a sub-buffer: one that babeltrace2 can express, and that is
 * not before the last one.
 */
static uint64_t time_of(const struct iterator *it, uint64_t last, uint64_t ts)
{
	if (it->trace->source->correct)
		ts = it->trace->source->correct(it->trace, it->stream, ts);
	if (ts > it->trace->latest)
		ts = it->trace->latest;
	return ts < last ? last : ts;
}

/*
 * Return whether there is another event in the first @limit bytes, and step behind it. Events
 * that a writer has added since, behind those bytes, are those of the next sub-buffer.
 */
static bool decode(const struct iterator *it, size_t limit, struct rbmap_cursor *cursor,
		   struct rbmap_event *ev)
{
	const struct source *source = it->trace->source;
	size_t size = source->room ? source->room(it->trace, it->stream) : HEAD + it->sb.size;
	struct rbmap_cursor next = *cursor;

	if (next.offset >= limit || rbmap_decode(it->sb.start, size, &next, ev) != 1 ||
	    next.offset > limit)
		return false;
	*cursor = next;
	return true;
}

/* Return the time of the last event in the sub-buffer, without a step forward. */
static uint64_t end_of(const struct iterator *it, uint64_t begin)
{
	struct rbmap_cursor cursor = it->cursor;
	uint64_t end = begin;
	struct rbmap_event ev;

	while (decode(it, it->sb.size, &cursor, &ev))
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
	if (m && it->sb.lost != RBMAP_LOST_UNKNOWN)
		bt_message_discarded_events_set_count(m, it->sb.lost);
	return made(m, message);
}

/* While a CPU was never on line, its iterator has a time, so that no message waits for it. */
static next_status absent(struct iterator *it, uint64_t quiet, const bt_message **message)
{
	if (quiet <= it->quiet)
		return NEXT_AGAIN;
	it->quiet = quiet;
	it->ts = time_of(it, it->ts, quiet);
	return made(bt_message_message_iterator_inactivity_create(
			    it->self, it->trace->clock_class, it->ts), message);
}

static next_status stream_end(struct iterator *it, const bt_message **message)
{
	it->step = ENDED;
	return made(bt_message_stream_end_create(it->self, stream_of(it)), message);
}

/*
 * A packet without events has a time, and CTF allows losses only between packets: so it
 * serves better than a message of inactivity. The graph waits while the time stays the same.
 */
static next_status idle(struct iterator *it, uint64_t quiet)
{
	if (quiet <= it->quiet)
		return NEXT_AGAIN;
	it->quiet = quiet;
	it->sb = (struct rbmap_subbuf){ .timestamp = quiet };
	it->step = PACKET_BEGIN;
	return NEXT_OK;
}

/* Go to the first event of the sub-buffer that is new. */
static void find_new(struct iterator *it)
{
	const struct rbmap_subbuf *sb = &it->sb;
	struct rbmap_event ev;

	if (!sb->offset || sb->start != it->start)
		it->cursor = (struct rbmap_cursor){ 0 };
	it->start = sb->start;
	while (decode(it, sb->offset, &it->cursor, &ev))
		;
}

static next_status failed(struct iterator *it, int error)
{
	BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_MESSAGE_ITERATOR(
		it->self, "%s: %s", it->trace->path, rbmap_strerror(error));
	return NEXT_ERROR;
}

static next_status stream_begin(struct iterator *it, const bt_message **message)
{
	struct trace *t = it->trace;
	enum source_state state = SOURCE_SUBBUF;
	uint64_t quiet = 0;
	int error = 0;

	if (t->source->begin)
		state = t->source->begin(t, it->stream, &quiet, &error);
	switch (state) {
	case SOURCE_IDLE:
		return absent(it, quiet, message);
	case SOURCE_END:
		it->step = ENDED;
		return NEXT_OK;
	case SOURCE_ERROR:
		return failed(it, error);
	case SOURCE_SUBBUF:
		break;
	}
	it->step = SUBBUF;
	return made(bt_message_stream_beginning_create(it->self, stream_of(it)), message);
}

static next_status next_subbuf(struct iterator *it, const bt_message **message)
{
	struct trace *t = it->trace;
	uint64_t quiet = 0;
	int error = 0;

	switch (t->source->next(t, it->stream, &it->sb, &quiet, &error)) {
	case SOURCE_IDLE:
		return idle(it, quiet);
	case SOURCE_END:
		return stream_end(it, message);
	case SOURCE_ERROR:
		return failed(it, error);
	case SOURCE_SUBBUF:
		break;
	}
	if (it->sb.size)
		find_new(it);
	it->step = PACKET_BEGIN;
	return it->sb.lost ? discarded(it, message) : NEXT_OK;
}

/* Return false: out of memory. */
static bool set_packet_context(struct iterator *it)
{
	const struct trace_place *place = &it->trace->place[it->stream];
	bt_field *context = bt_packet_borrow_context_field(it->packet), *field;

	field = bt_field_structure_borrow_member_field_by_index(context, 0);
	bt_field_integer_unsigned_set_value(field, place->cpu);
	if (it->trace->has_buffers) {
		field = bt_field_structure_borrow_member_field_by_index(context, 1);
		if (bt_field_string_set_value(field, place->buffer))
			return false;
	}
	if (!it->trace->has_hosts)
		return true;
	field = bt_field_structure_borrow_member_field_by_index(context,
								it->trace->has_buffers ? 2 : 1);
	return values_set_text(field, place->host ? place->host : "");
}

static next_status packet_begin(struct iterator *it, const bt_message **message)
{
	it->packet = bt_packet_create(stream_of(it));
	if (!it->packet || !set_packet_context(it))
		return NEXT_MEMORY;
	it->ts = time_of(it, it->ts, it->sb.timestamp);
	it->any = true;
	it->step = it->sb.size ? EVENT : PACKET_END;
	return made(bt_message_packet_beginning_create_with_default_clock_snapshot(
			    it->self, it->packet, it->ts), message);
}

static next_status packet_end(struct iterator *it, const bt_message **message)
{
	const bt_message *m = bt_message_packet_end_create_with_default_clock_snapshot(
		it->self, it->packet, it->ts);

	it->step = SUBBUF;
	bt_packet_put_ref(it->packet);
	it->packet = NULL;
	return made(m, message);
}

static next_status event(struct iterator *it, const bt_message **message)
{
	struct trace *t = it->trace;
	struct event_class *class;
	struct rbmap_event ev;
	bt_message *m;

	if (!decode(it, it->sb.size, &it->cursor, &ev))
		return packet_end(it, message);
	class = event_classes_find(t, &ev);
	if (!class)
		return NEXT_MEMORY;
	it->ts = time_of(it, it->ts, ev.ts);
	m = bt_message_event_create_with_packet_and_default_clock_snapshot(
		it->self, class->class, it->packet, it->ts);
	if (!m)
		return NEXT_MEMORY;
	*message = m;
	return values_set(t, class, bt_message_event_borrow_event(m), &ev,
			  t->place[it->stream].host) ? NEXT_OK : NEXT_MEMORY;
}

/* Make a message, or only go on: then *message stays NULL. */
static next_status step(struct iterator *it, const bt_message **message)
{
	switch (it->step) {
	case STREAM_BEGIN:
		return stream_begin(it, message);
	case SUBBUF:
		return next_subbuf(it, message);
	case PACKET_BEGIN:
		return packet_begin(it, message);
	case EVENT:
		return event(it, message);
	case PACKET_END:
		return packet_end(it, message);
	default:
		return NEXT_END;
	}
}

next_status messages_next(bt_self_message_iterator *self, bt_message_array_const messages,
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
	if ((status == NEXT_END || status == NEXT_AGAIN) && *count)
		return NEXT_OK;
	if (status != NEXT_OK)
		while (*count)
			bt_message_put_ref(messages[--*count]);
	return status;
}

bt_message_iterator_class_initialize_method_status messages_begin(
	bt_self_message_iterator *self, bt_self_message_iterator_configuration *configuration,
	bt_self_component_port_output *port)
{
	bt_self_component *component = bt_self_message_iterator_borrow_component(self);
	struct trace *t = bt_self_component_get_data(component);
	bt_self_component_port *self_port;
	struct iterator *it;

	/* Times never go back, so babeltrace2 can skip the messages before a time. */
	bt_self_message_iterator_configuration_set_can_seek_forward(configuration, BT_TRUE);
	it = calloc(1, sizeof(*it));
	if (!it)
		return INIT_MEMORY;
	it->self = self;
	it->trace = t;
	self_port = bt_self_component_port_output_as_self_component_port(port);
	it->stream = (uintptr_t)bt_self_component_port_get_data(self_port);
	if (t->is_read[it->stream]) {
		free(it);
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_MESSAGE_ITERATOR(
			self, "a component of rbmap can be read once: make another one");
		return INIT_ERROR;
	}
	t->is_read[it->stream] = true;
	bt_self_message_iterator_set_data(self, it);
	return INIT_OK;
}

void messages_end(bt_self_message_iterator *self)
{
	struct iterator *it = bt_self_message_iterator_get_data(self);

	bt_packet_put_ref(it->packet);
	free(it);
}

bt_message_iterator_class_can_seek_beginning_method_status messages_can_seek_beginning(
	bt_self_message_iterator *self, bt_bool *can_seek)
{
	const struct iterator *it = bt_self_message_iterator_get_data(self);

	*can_seek = it->step == STREAM_BEGIN && !it->quiet;
	return BT_MESSAGE_ITERATOR_CLASS_CAN_SEEK_BEGINNING_METHOD_STATUS_OK;
}

bt_message_iterator_class_seek_beginning_method_status messages_seek_beginning(
	bt_self_message_iterator *self)
{
	const struct iterator *it = bt_self_message_iterator_get_data(self);

	return it->step == STREAM_BEGIN && !it->quiet ?
		BT_MESSAGE_ITERATOR_CLASS_SEEK_BEGINNING_METHOD_STATUS_OK :
		BT_MESSAGE_ITERATOR_CLASS_SEEK_BEGINNING_METHOD_STATUS_ERROR;
}
