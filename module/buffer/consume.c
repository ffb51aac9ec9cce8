// SPDX-License-Identifier: GPL-2.0-only
/*
 * Take what can be read, for a reader that maps the ring and for one that
 * wants a copy; tell both of each lost event, once.
 */
#include <linux/cpu.h>
#include <linux/delay.h>

#include "consume.h"
#include "cpu_buffer.h"

/* Opened and closed twice, whatever state the writer left it in. */
#define RBMAP_CLOSE_TRIES	4

/* An interrupted writer has microseconds to go before it publishes. */
#define RBMAP_PUBLISH_TRIES	1000

struct rbmap_close_subbuf {
	struct rbmap_ring	*ring;
	u64			seq;
};

static void rbmap_close_on_cpu(void *data)
{
	struct rbmap_close_subbuf *close = data;

	rbmap_ring_close(close->ring, close->seq);
	/* A nested context may have left its event for us to publish. */
	rbmap_notify_event(close->ring);
}

/* litmus: commit-header */
static u64 rbmap_commit_seq_now(const struct rbmap_ring *ring)
{
	return rbmap_commit_seq(smp_load_acquire(&ring->commit));
}

/**
 * rbmap_close_subbuf - make the writer leave a sub-buffer
 * @gen: reader_lock held; not cpus_read_lock()
 * @seq: the one to leave
 *
 * Only its own CPU may, or anyone while that is off line.  If that interrupted
 * a writer, the writer publishes.
 *
 * Context: may sleep.
 * Return: the writer has left it.
 */
bool rbmap_close_subbuf(struct rbmap_gen *gen, u64 seq)
{
	struct rbmap_close_subbuf close = { .ring = &gen->ring, .seq = seq };
	int i;

	cpus_read_lock();
	rbmap_cpu_buffer_call(gen->cpu_buf, rbmap_close_on_cpu, &close);
	cpus_read_unlock();

	for (i = 0; i < RBMAP_PUBLISH_TRIES; i++) {
		if (rbmap_commit_seq_now(&gen->ring) != seq)
			return true;
		usleep_range(10, 100);
	}
	return false;
}

/* The next sub-buffer that has something to tell. */
static enum rbmap_get rbmap_get_subbuf(struct rbmap_ring *ring)
{
	enum rbmap_get took;

	do {
		took = rbmap_ring_get(ring);
		if (took == RBMAP_GET_BUSY)
			cond_resched();
	} while ((took == RBMAP_GET_BUSY && !signal_pending(current)) ||
		 (took == RBMAP_GET_NEXT && !rbmap_ring_unread(ring) &&
		  !ring->reader.lost));
	return took;
}

/*
 * Events were dropped after all that can be read.  A reader that maps the ring
 * is told in a sub-buffer: make the writer leave the one that it is in, and
 * then the next one, which says what was lost before it and holds nothing.
 */
static enum rbmap_get rbmap_get_drops(struct rbmap_gen *gen)
{
	struct rbmap_ring *ring = &gen->ring;
	enum rbmap_get took = RBMAP_GET_EMPTY;
	int i;

	for (i = 0; i < RBMAP_CLOSE_TRIES && took == RBMAP_GET_EMPTY &&
	     rbmap_ring_unreported_drops(ring); i++) {
		/*
		 * Or it cannot: the ring has filled up since we looked, and so
		 * there is something to read.
		 */
		if (!rbmap_close_subbuf(gen, rbmap_commit_seq_now(ring)))
			i = RBMAP_CLOSE_TRIES;
		took = rbmap_get_subbuf(ring);
	}
	return took;
}

/* The same where there is no writer: beside the end of the ring. */
static void rbmap_tell_last_drops(struct rbmap_gen *gen)
{
	if (!gen->ended)
		gen->ring.reader.lost = rbmap_ring_report_drops(&gen->ring);
	gen->ended = true;
}

/**
 * rbmap_get_mapped - GET_READER: all that can be read now counts as read
 * @gen: reader_lock held
 *
 * What was lost is told in the sub-buffer that comes after it.  The writer
 * must have left that one for good: it is made to, if it has not.
 *
 * Context: may sleep.
 * Return: there was something, the meta-page says what.
 */
bool rbmap_get_mapped(struct rbmap_gen *gen)
{
	struct rbmap_ring *ring = &gen->ring;
	struct rbmap_reader *reader = &ring->reader;
	enum rbmap_get took = rbmap_get_subbuf(ring);

	if (took == RBMAP_GET_EMPTY && rbmap_gen_retired(gen))
		rbmap_tell_last_drops(gen);
	else if (took == RBMAP_GET_EMPTY)
		took = rbmap_get_drops(gen);
	if (took != RBMAP_GET_NEXT && took != RBMAP_GET_MORE)
		return false;
	/* More from its beginning: splice() has left it to us. */
	if (!reader->offset && reader->lost &&
	    !rbmap_ring_mark_lost(ring) && rbmap_close_subbuf(gen, reader->seq))
		rbmap_ring_mark_lost(ring);
	rbmap_ring_consume(ring, reader->offset + rbmap_ring_unread(ring));
	return true;
}

static bool rbmap_room_for_lost(const struct rbmap_ring *ring, u32 size)
{
	return ring->capacity - size >= sizeof(unsigned long);
}

/* The time up to byte `to`: what the delta of the event there counts from. */
static u64 rbmap_time_at(struct rbmap_subbuf_header *header, u32 to)
{
	const u8 *data = rbmap_subbuf_data(header);
	u64 time = header->time_stamp;
	u32 at = 0;

	while (at < to) {
		const u32 *event = (const u32 *)(data + at);
		u32 type = rbmap_event_type_len(event[0]);
		u64 delta = rbmap_event_delta(event[0]);

		if (type == RBMAP_TYPE_TIME_STAMP) {
			delta += (u64)event[1] << RBMAP_TS_SHIFT;
			time = delta | (header->time_stamp &
					~((1ULL << RBMAP_STAMP_BITS) - 1));
		} else if (type == RBMAP_TYPE_TIME_EXTEND) {
			time += delta + ((u64)event[1] << RBMAP_TS_SHIFT);
		} else {
			time += delta;
		}
		at += rbmap_record_len(event);
	}
	return time;
}

/* The end of a sub-buffer that is a copy: what was lost, and zeroes. */
static void rbmap_copy_end(const struct rbmap_ring *ring,
			   struct rbmap_subbuf_header *copy, u32 size,
			   unsigned long lost)
{
	memset(rbmap_subbuf_data(copy) + size, 0, ring->capacity - size);
	copy->commit = size;
	if (lost) {
		memcpy(rbmap_subbuf_data(copy) + size, &lost, sizeof(lost));
		copy->commit |= RBMAP_MISSED_EVENTS | RBMAP_MISSED_STORED;
	}
}

/* Bytes of the records from byte @from on that fit into @room, of @size. */
static u32 rbmap_records_that_fit(struct rbmap_subbuf_header *header, u32 from,
				  u32 size, u32 room)
{
	const u8 *data = rbmap_subbuf_data(header);
	u32 fit = 0, len;

	while (fit < size) {
		len = rbmap_record_len((const u32 *)(data + from + fit));
		if (fit + len > room)
			break;
		fit += len;
	}
	return fit;
}

/*
 * What the reader's sub-buffer has that is unread.  The number of lost events
 * comes with the first ones behind the loss: readers that skip sub-buffers
 * without an event would miss it.  What it takes the room of comes next time.
 */
static void rbmap_copy_rest(struct rbmap_ring *ring,
			    struct rbmap_subbuf_header *copy)
{
	struct rbmap_reader *reader = &ring->reader;
	struct rbmap_subbuf_header *header = ring->subbuf[reader->id].header;
	u32 size = rbmap_ring_unread(ring);
	unsigned long lost = 0;

	/* No event gave it a time: that of an earlier lap would mislead. */
	copy->time_stamp = size ? rbmap_time_at(header, reader->offset) :
				  rb_clock(ring->clock);
	if (!reader->offset)
		lost = reader->lost;
	if (lost && !rbmap_room_for_lost(ring, size)) {
		size = rbmap_records_that_fit(header, 0, size, ring->capacity -
					      sizeof(unsigned long));
		/* One event fills it: the number goes alone. */
		if (!size)
			reader->lost = 0;
	}
	memcpy(rbmap_subbuf_data(copy),
	       rbmap_subbuf_data(header) + reader->offset, size);
	rbmap_ring_consume(ring, reader->offset + size);
	rbmap_copy_end(ring, copy, size, lost);
}

/* Drops behind all that can be read, in a sub-buffer that holds nothing. */
static bool rbmap_copy_drops(struct rbmap_ring *ring,
			     struct rbmap_subbuf_header *copy)
{
	unsigned long lost = rbmap_ring_report_drops(ring);

	if (!lost)
		return false;
	copy->time_stamp = rb_clock(ring->clock);
	rbmap_copy_end(ring, copy, 0, lost);
	return true;
}

/**
 * rbmap_get_copy - read(): one sub-buffer's unread bytes, as a sub-buffer
 * @gen: reader_lock held
 * @copy: of the ring's sub-buffer size; filled to its end
 *
 * Context: may sleep.
 * Return: there was something, if only a loss to tell.
 */
bool rbmap_get_copy(struct rbmap_gen *gen,
		    struct rbmap_subbuf_header *copy)
{
	struct rbmap_ring *ring = &gen->ring;
	enum rbmap_get took = rbmap_get_subbuf(ring);

	if (took != RBMAP_GET_NEXT && took != RBMAP_GET_MORE)
		return rbmap_copy_drops(ring, copy);
	rbmap_copy_rest(ring, copy);
	return true;
}

/**
 * rbmap_has_closed - will rbmap_get_closed() find something?
 * @gen: any; without its lock a hint
 */
bool rbmap_has_closed(const struct rbmap_gen *gen)
{
	const struct rbmap_ring *ring = &gen->ring;

	/* What was dropped comes behind all that is unread. */
	return rbmap_ring_has_closed(ring) ||
	       (!rbmap_ring_has_event(ring) && rbmap_ring_unreported_drops(ring));
}

/**
 * rbmap_get_closed - a sub-buffer that the writer has left
 * @gen: reader_lock held
 * @fresh: memory for a sub-buffer, with nothing that readers of this CPU must not
 *	see
 *
 * As rbmap_get_copy() gives it.  It is not copied where nobody else can have
 * seen it, and all of it is wanted: @fresh takes its place in the ring.
 *
 * Context: may sleep.
 * Return: the sub-buffer, the caller's from here on: @fresh if it is a copy,
 * else @fresh is the ring's now; or NULL.
 */
struct rbmap_subbuf_header *
rbmap_get_closed(struct rbmap_gen *gen,
		 struct rbmap_subbuf_header *fresh)
{
	struct rbmap_ring *ring = &gen->ring;
	struct rbmap_reader *reader = &ring->reader;
	enum rbmap_get took = RBMAP_GET_EMPTY;
	u32 size, end;

	if (rbmap_ring_has_closed(ring))
		took = rbmap_get_subbuf(ring);
	if (took != RBMAP_GET_NEXT && took != RBMAP_GET_MORE)
		return !rbmap_ring_has_event(ring) &&
		       rbmap_copy_drops(ring, fresh) ? fresh : NULL;
	/* A writer that laps us may have us take its own: that stays unread. */
	if (rbmap_ring_reader_at_writer(ring))
		return NULL;

	size = rbmap_ring_unread(ring);
	if (gen->mapped || gen->shared || reader->offset ||
	    (reader->lost && !rbmap_room_for_lost(ring, size))) {
		rbmap_copy_rest(ring, fresh);
		return fresh;
	}
	end = size;
	if (reader->lost) {
		rbmap_ring_mark_lost(ring);
		end += sizeof(unsigned long);
	}
	/* Behind it are events of earlier laps. */
	memset(rbmap_subbuf_data(ring->subbuf[reader->id].header) + end, 0,
	       ring->capacity - end);
	rbmap_ring_consume(ring, size);
	return rbmap_ring_exchange(ring, fresh);
}
