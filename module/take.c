// SPDX-License-Identifier: GPL-2.0-only
/*
 * Take what can be read, for a reader that maps the ring and for one that
 * wants a copy; tell both of each lost event, once.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/smp.h>

#include "cpu_buffer.h"

/* Opened and closed twice, whatever state the writer left it in. */
#define RBMAP_CLOSE_TRIES	4

/* An interrupted writer has microseconds to go before it publishes. */
#define RBMAP_PUBLISH_TRIES	1000

struct rbmap_close {
	struct rbmap_ring	*ring;
	u64			seq;
};

static void rbmap_close_on_cpu(void *data)
{
	struct rbmap_close *close = data;

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
 * rbmap_close - make the writer leave a sub-buffer
 * @cpu_buf: reader_lock held; not cpus_read_lock()
 * @seq: the one to leave
 *
 * Only its own CPU may, or anyone while that is off line.  If that interrupted
 * a writer, the writer publishes.
 *
 * Context: may sleep.
 * Return: the writer has left it.
 */
bool rbmap_close(struct rbmap_cpu_buffer *cpu_buf, u64 seq)
{
	struct rbmap_close close = { .ring = &cpu_buf->ring, .seq = seq };
	int i;

	cpus_read_lock();
	if (cpu_online(cpu_buf->cpu))
		smp_call_function_single(cpu_buf->cpu, rbmap_close_on_cpu,
					 &close, 1);
	else
		rbmap_close_on_cpu(&close);
	cpus_read_unlock();

	for (i = 0; i < RBMAP_PUBLISH_TRIES; i++) {
		if (rbmap_commit_seq_now(&cpu_buf->ring) != seq)
			return true;
		usleep_range(10, 100);
	}
	return false;
}

/* The next sub-buffer that has something to tell. */
static enum rbmap_take rbmap_take(struct rbmap_ring *ring)
{
	enum rbmap_take took;

	do {
		took = rbmap_ring_take(ring);
		if (took == RBMAP_TAKE_BUSY)
			cond_resched();
	} while ((took == RBMAP_TAKE_BUSY && !signal_pending(current)) ||
		 (took == RBMAP_TAKE_NEXT && !rbmap_ring_unread(ring) &&
		  !ring->reader.lost));
	return took;
}

/*
 * Events were dropped after all that can be read.  A reader that maps the ring
 * is told in a sub-buffer: make the writer leave the one that it is in, and
 * then the next one, which says what was lost before it and holds nothing.
 */
static enum rbmap_take rbmap_take_drops(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_ring *ring = &cpu_buf->ring;
	enum rbmap_take took = RBMAP_TAKE_EMPTY;
	int i;

	for (i = 0; i < RBMAP_CLOSE_TRIES && took == RBMAP_TAKE_EMPTY &&
	     rbmap_ring_untold_drops(ring); i++) {
		/*
		 * Or it cannot: the ring has filled up since we looked, and so
		 * there is something to read.
		 */
		if (!rbmap_close(cpu_buf, rbmap_commit_seq_now(ring)))
			i = RBMAP_CLOSE_TRIES;
		took = rbmap_take(ring);
	}
	return took;
}

/**
 * rbmap_take_mapped - GET_READER: all that can be read now counts as read
 * @cpu_buf: reader_lock held
 *
 * What was lost is told in the sub-buffer that comes after it.  The writer
 * must have left that one for good: it is made to, if it has not.
 *
 * Context: may sleep.
 * Return: there was something, the meta-page says what.
 */
bool rbmap_take_mapped(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_ring *ring = &cpu_buf->ring;
	struct rbmap_reader *reader = &ring->reader;
	enum rbmap_take took = rbmap_take(ring);

	if (took == RBMAP_TAKE_EMPTY)
		took = rbmap_take_drops(cpu_buf);
	if (took == RBMAP_TAKE_NEXT && reader->lost &&
	    !rbmap_ring_mark_lost(ring) && rbmap_close(cpu_buf, reader->seq))
		rbmap_ring_mark_lost(ring);
	if (took != RBMAP_TAKE_NEXT && took != RBMAP_TAKE_MORE)
		return false;
	rbmap_ring_consume(ring, reader->offset + rbmap_ring_unread(ring));
	return true;
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

/**
 * rbmap_take_copy - read(): one sub-buffer's unread bytes, as a sub-buffer
 * @cpu_buf: reader_lock held
 * @copy: of the ring's sub-buffer size; filled to its end
 *
 * Context: may sleep.
 * Return: there was something, if only a loss to tell.
 */
bool rbmap_take_copy(struct rbmap_cpu_buffer *cpu_buf,
		     struct rbmap_subbuf_header *copy)
{
	struct rbmap_ring *ring = &cpu_buf->ring;
	struct rbmap_reader *reader = &ring->reader;
	enum rbmap_take took = rbmap_take(ring);
	unsigned long lost = 0;
	u32 size = 0;

	if (took == RBMAP_TAKE_NEXT || took == RBMAP_TAKE_MORE) {
		struct rbmap_subbuf_header *header =
			ring->subbuf[reader->id].header;

		size = rbmap_ring_unread(ring);
		if (!reader->offset)
			lost = reader->lost;
		/* No room behind the events for the number: it goes alone. */
		if (lost && ring->capacity - size < sizeof(lost)) {
			reader->lost = 0;
			size = 0;
		}
		copy->time_stamp = rbmap_time_at(header, reader->offset);
		memcpy(rbmap_subbuf_data(copy),
		       rbmap_subbuf_data(header) + reader->offset, size);
		rbmap_ring_consume(ring, reader->offset + size);
	} else {
		lost = rbmap_ring_tell_drops(ring);
		if (!lost)
			return false;
		copy->time_stamp = rb_clock(ring->clock);
	}

	memset(rbmap_subbuf_data(copy) + size, 0, ring->capacity - size);
	copy->commit = size;
	if (lost) {
		memcpy(rbmap_subbuf_data(copy) + size, &lost, sizeof(lost));
		copy->commit |= RBMAP_MISSED_EVENTS | RBMAP_MISSED_STORED;
	}
	return true;
}
