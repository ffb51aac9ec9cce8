// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include <linux/rbmap.h>

#include "agent/uplink/clocks.h"
#include "message/message.h"
#include "stream.h"

#define HEAD	RBMAP_SUBBUF_HEADER_SIZE

void batching_begin(struct batching *b, const struct batch_target *target, const char *buffer,
		    int cpu, uint64_t incarnation)
{
	*b = (struct batching){ .target = target };
	memcpy(b->source.buffer, buffer, strlen(buffer) + 1);
	b->source.cpu = cpu;
	b->source.incarnation = incarnation;
	batch_begin(&b->payload);
}

void batching_free(struct batching *b)
{
	buf_free(&b->payload);
}

static void add_lost(struct batching *b, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN || b->lost == MESSAGE_LOST_UNKNOWN)
		b->lost = MESSAGE_LOST_UNKNOWN;
	else
		b->lost += lost;
}

static int append(struct batching *b)
{
	struct stream_record r = {
		.kind = MESSAGE_SUBBUFS, .seq = b->seq, .number = b->number, .time = b->time,
		.events = b->head.events, .lost = b->lost,
		.after = batch_totals(&b->head, b->lost),
	};
	struct message m = {
		.kind = MESSAGE_SUBBUFS, .seq = b->seq, .lost = b->lost,
		.data = b->payload.data, .size = b->payload.size,
	};
	struct buf bytes = { 0 };
	int ret;

	memcpy(m.host, b->target->host, strlen(b->target->host) + 1);
	memcpy(m.boot, b->target->boot, strlen(b->target->boot) + 1);
	stream_source_print(&b->source, r.source);
	memcpy(m.source, r.source, sizeof(m.source));
	ret = b->payload.failed ? -1 : message_encode(&bytes, &m);
	if (!ret)
		ret = stream_spool_append(b->target->spool, &r, bytes.data, bytes.size);
	buf_free(&bytes);
	return ret;
}

void batching_flush(struct batching *b)
{
	b->at = 0;
	if (!b->head.events)
		return;
	b->target->prepare(b->target->data);
	b->head.before = b->totals;
	batch_end(&b->payload, &b->head);
	if (append(b)) {
		add_lost(b, b->head.events);
	} else {
		b->seq++;
		b->totals = batch_totals(&b->head, b->lost);
		b->lost = 0;
	}
	b->head = (struct batch_head){ 0 };
	b->payload.failed = false;
	batch_begin(&b->payload);
}

bool batching_is_due(const struct batching *b)
{
	return b->head.events && clock_monotonic() - b->opened >= BATCH_AGE;
}

/*
 * The first piece of a ring. An earlier run may have sent some of its events, and has stored
 * their number. A ring that was made again numbers its events from 0, and their times are
 * later.
 */
static void find_place(struct batching *b, uint64_t first, uint64_t time)
{
	const struct stream_position *p =
		stream_spool_position(b->target->spool, b->source.buffer, b->source.cpu);
	bool same = p && p->generation == b->source.generation;

	if (p && !same)
		add_lost(b, RBMAP_LOST_UNKNOWN);
	if (!same || (first < p->number && time > p->time))
		add_lost(b, first);
	else if (first < p->number)
		b->skip = p->number - first;
	else
		add_lost(b, first - p->number);
}

/* Return the time of the first event of a sub-buffer. */
static uint64_t first_time(const struct rbmap_subbuf *sb)
{
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;

	return rbmap_decode(sb->start, HEAD + sb->size, &cursor, &ev) == 1 ? ev.ts : sb->timestamp;
}

static void next_ring(struct batching *b, const struct rbmap_subbuf *sb, uint64_t first,
		      uint32_t generation)
{
	bool is_first = !b->source.generation;

	batching_flush(b);
	b->source.generation = generation;
	b->seq = 0;
	b->totals = (struct stream_totals){ 0 };
	b->skip = 0;
	if (is_first)
		find_place(b, first, first_time(sb));
	else
		add_lost(b, sb->lost);
}

/* Copy the events between two places of a sub-buffer. */
static void put(struct batching *b, const struct rbmap_subbuf *sb,
		const struct rbmap_cursor *from, const struct rbmap_cursor *to)
{
	if (from->offset == to->offset)
		return;
	if (!b->at)
		b->at = batch_subbuf(&b->payload, sb->id, from->offset ? from->ts : sb->timestamp);
	batch_add(&b->payload, b->at, (const char *)sb->start + HEAD + from->offset,
		  to->offset - from->offset);
}

static void count_event(struct batching *b, const struct rbmap_event *ev)
{
	if (!b->head.events) {
		b->opened = clock_monotonic();
		b->head.begin = clock_real();
		b->head.number = b->number;
	}
	b->head.events++;
	b->number++;
	b->time = ev->ts;
	b->target->event(b->target->data, ev);
}

static void add_events(struct batching *b, const struct rbmap_subbuf *sb)
{
	struct rbmap_cursor from = b->cursor, to = from;
	struct rbmap_event ev;

	while (rbmap_decode(sb->start, HEAD + sb->size, &b->cursor, &ev) == 1) {
		if (b->skip) {
			b->skip--;
			b->number++;
			from = to = b->cursor;
			continue;
		}
		if (b->payload.size + b->cursor.offset - from.offset > BATCH_FLUSH_SIZE) {
			put(b, sb, &from, &to);
			batching_flush(b);
			from = to;
		}
		count_event(b, &ev);
		to = b->cursor;
	}
	put(b, sb, &from, &to);
	b->cursor = to;
}

void batching_add(struct batching *b, const struct rbmap_subbuf *sb, uint64_t events,
		  uint64_t number, uint32_t generation)
{
	uint64_t real;

	if (!sb->offset) {
		b->cursor = (struct rbmap_cursor){ 0 };
		b->at = 0;
	}
	if (generation != b->source.generation) {
		next_ring(b, sb, number - events, generation);
	} else if (sb->lost) {
		batching_flush(b);
		add_lost(b, sb->lost);
	}
	b->number = number - events;
	add_events(b, sb);
	real = clock_real();
	/* The clock can have been set back. */
	b->head.end = real > b->head.begin ? real : b->head.begin;
}
