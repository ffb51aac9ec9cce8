// SPDX-License-Identifier: GPL-2.0-only
/*
 * Get what can be read, for a reader that maps the ring and for a reader that wants
 * a copy.  Report each lost event once to either.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/sched/signal.h>

#include "consume.h"
#include "cpu_buffer.h"

/* Attempts: at most two sub-buffers are opened and closed, in any state of the ring. */
#define RBMAP_CLOSE_TRIES	4

/* An interrupted writer publishes within microseconds. */
#define RBMAP_PUBLISH_TRIES	1000

struct rbmap_close_subbuf {
	struct rbmap_ring	*ring;
	u64			seq;
};

static void rbmap_close_on_cpu(void *data)
{
	struct rbmap_close_subbuf *close = data;

	rbmap_ring_close(close->ring, close->seq);
	/* A nested context may have left its event to this one to publish. */
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
 * @seq: sequence number of the sub-buffer to leave
 *
 * Only the ring's own CPU may close a sub-buffer, or any CPU while that one is off
 * line.  If this interrupted a writer, the writer publishes.
 *
 * Context: may sleep.
 * Return: whether the writer has left the sub-buffer.
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

/**
 * rbmap_get_subbuf - get the next sub-buffer that has unread events or a loss to report
 * @ring: the ring of a generation; reader_lock held
 *
 * Context: may sleep.
 * Return: enum rbmap_get; RBMAP_GET_BUSY only if a signal is pending.
 */
enum rbmap_get rbmap_get_subbuf(struct rbmap_ring *ring)
{
	enum rbmap_get result;

	for (;;) {
		result = rbmap_ring_get(ring);
		if (result == RBMAP_GET_BUSY) {
			if (signal_pending(current))
				break;
		} else if (result != RBMAP_GET_NEXT || rbmap_ring_unread(ring) ||
			   ring->reader.lost) {
			break;
		}
		/* A ring may have any number of empty sub-buffers. */
		cond_resched();
	}
	return result;
}

/*
 * Events were dropped after all events that can be read.  A reader that maps the
 * ring finds such a loss in a sub-buffer.  Make the writer leave its current
 * sub-buffer, and then the next one.  That next one is empty, and reports what was
 * lost before it.
 */
static enum rbmap_get rbmap_get_drops(struct rbmap_gen *gen)
{
	struct rbmap_ring *ring = &gen->ring;
	enum rbmap_get result = RBMAP_GET_EMPTY;
	int i;

	for (i = 0; i < RBMAP_CLOSE_TRIES && result == RBMAP_GET_EMPTY &&
	     rbmap_ring_unreported_drops(ring); i++) {
		/*
		 * The close fails if the ring has filled up meanwhile.  Then there
		 * is something to read, and this is the last attempt.
		 */
		if (!rbmap_close_subbuf(gen, rbmap_commit_seq_now(ring)))
			i = RBMAP_CLOSE_TRIES;
		result = rbmap_get_subbuf(ring);
	}
	return result;
}

/*
 * Report the last drops of a retired ring together with its end.  Without a writer, no
 * sub-buffer follows that could report them.
 */
static void rbmap_report_final_drops(struct rbmap_gen *gen)
{
	if (!gen->ended)
		gen->ring.reader.lost = rbmap_ring_report_drops(&gen->ring);
	gen->ended = true;
}

/**
 * rbmap_get_mapped - GET_READER: consume all that can be read now
 * @gen: reader_lock held
 *
 * A loss is reported in the sub-buffer that follows it.  The writer must have left
 * that sub-buffer for good, and is made to leave it otherwise.
 *
 * Context: may sleep.
 * Return: whether there was something to read, which the meta-page describes.
 */
bool rbmap_get_mapped(struct rbmap_gen *gen)
{
	struct rbmap_ring *ring = &gen->ring;
	struct rbmap_reader *reader = &ring->reader;
	enum rbmap_get result = rbmap_get_subbuf(ring);

	if (result == RBMAP_GET_EMPTY && rbmap_gen_retired(gen))
		rbmap_report_final_drops(gen);
	else if (result == RBMAP_GET_EMPTY)
		result = rbmap_get_drops(gen);
	if (result != RBMAP_GET_NEXT && result != RBMAP_GET_MORE)
		return false;
	/*
	 * RBMAP_GET_MORE at offset 0: splice() got this sub-buffer and left it
	 * unread.
	 */
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

/**
 * rbmap_time_at - get the time at a place in a sub-buffer that is not overwritten meanwhile
 * @header: the sub-buffer
 * @to: offset of an event
 *
 * Return: the time before that event, which adds its delta.
 */
u64 rbmap_time_at(struct rbmap_subbuf_header *header, u32 to)
{
	const u8 *data = rbmap_subbuf_data(header);
	u64 time = header->time_stamp;
	u32 at = 0;

	while (at < to) {
		const u32 *event = (const u32 *)(data + at);

		time = rbmap_time_after(time, header->time_stamp, event);
		at += rbmap_record_len(event);
	}
	return time;
}

/*
 * Finish a sub-buffer that is a copy: clear its rest and store the number of lost
 * events.
 */
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

/*
 * Bytes of the records from byte @from on that fit into @room, at most @size bytes.
 */
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
 * Copy the unread bytes of the reader's sub-buffer.  The number of lost events is
 * stored with the first events after the loss, because some readers skip a
 * sub-buffer without events.  Records whose room the number needs follow in the next
 * copy.
 */
static void rbmap_copy_rest(struct rbmap_ring *ring,
			    struct rbmap_subbuf_header *copy)
{
	struct rbmap_reader *reader = &ring->reader;
	struct rbmap_subbuf_header *header = ring->subbuf[reader->id].header;
	u32 size = rbmap_ring_unread(ring);
	unsigned long lost = 0;

	/*
	 * No event set the time of an empty sub-buffer, and the time of an earlier
	 * lap is wrong.
	 */
	copy->time_stamp = size ? rbmap_time_at(header, reader->offset) :
				  rb_clock(ring->clock);
	if (!reader->offset)
		lost = reader->lost;
	if (lost && !rbmap_room_for_lost(ring, size)) {
		size = rbmap_records_that_fit(header, 0, size, ring->capacity -
					      sizeof(unsigned long));
		/*
		 * One event fills the sub-buffer: report the number without an
		 * event.
		 */
		if (!size)
			reader->lost = 0;
	}
	memcpy(rbmap_subbuf_data(copy),
	       rbmap_subbuf_data(header) + reader->offset, size);
	rbmap_ring_consume(ring, reader->offset + size);
	rbmap_copy_end(ring, copy, size, lost);
}

/* Report drops after all that can be read, in a sub-buffer without events. */
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
 * rbmap_get_copy - read(): copy the unread bytes of one sub-buffer, as a sub-buffer
 * @gen: reader_lock held
 * @copy: memory of the ring's sub-buffer size; filled to its end
 *
 * Context: may sleep.
 * Return: whether there was something, which may be a loss without events.
 */
bool rbmap_get_copy(struct rbmap_gen *gen,
		    struct rbmap_subbuf_header *copy)
{
	struct rbmap_ring *ring = &gen->ring;
	enum rbmap_get result = rbmap_get_subbuf(ring);

	if (result != RBMAP_GET_NEXT && result != RBMAP_GET_MORE)
		return rbmap_copy_drops(ring, copy);
	rbmap_copy_rest(ring, copy);
	return true;
}

/**
 * rbmap_has_closed - test whether rbmap_get_closed() will find something
 * @gen: any ring; the result is a hint unless reader_lock is held
 */
bool rbmap_has_closed(const struct rbmap_gen *gen)
{
	const struct rbmap_ring *ring = &gen->ring;

	/* Drops are reported after all unread events. */
	return rbmap_ring_has_closed(ring) ||
	       (!rbmap_ring_has_event(ring) && rbmap_ring_unreported_drops(ring));
}

/**
 * rbmap_get_closed - get a sub-buffer that the writer has left
 * @gen: reader_lock held
 * @fresh: memory for a sub-buffer, without data that readers of this CPU must not
 *	see
 *
 * The result has the form that rbmap_get_copy() returns.  It is not a copy if the
 * whole sub-buffer is unread and nobody else can have seen it.  Then @fresh replaces
 * it in the ring.
 *
 * Context: may sleep.
 * Return: the sub-buffer, which belongs to the caller; NULL if there was nothing to
 * get.  A copy is in @fresh.  Otherwise the result was the ring's, and @fresh
 * belongs to the ring.
 */
struct rbmap_subbuf_header *
rbmap_get_closed(struct rbmap_gen *gen,
		 struct rbmap_subbuf_header *fresh)
{
	struct rbmap_ring *ring = &gen->ring;
	struct rbmap_reader *reader = &ring->reader;
	enum rbmap_get result = RBMAP_GET_EMPTY;
	u32 size, end;

	if (rbmap_ring_has_closed(ring))
		result = rbmap_get_subbuf(ring);
	if (result != RBMAP_GET_NEXT && result != RBMAP_GET_MORE)
		return !rbmap_ring_has_event(ring) &&
		       rbmap_copy_drops(ring, fresh) ? fresh : NULL;
	/*
	 * A writer that laps the reader may have made it get the writer's own
	 * sub-buffer.  That one stays unread.
	 */
	if (rbmap_ring_reader_at_writer(ring))
		return NULL;

	size = rbmap_ring_unread(ring);
	if (gen->subbufs_mapped || gen->shared || reader->offset ||
	    (reader->lost && !rbmap_room_for_lost(ring, size))) {
		rbmap_copy_rest(ring, fresh);
		return fresh;
	}
	end = size;
	if (reader->lost) {
		rbmap_ring_mark_lost(ring);
		end += sizeof(unsigned long);
	}
	/* The rest of the sub-buffer holds events of earlier laps. */
	memset(rbmap_subbuf_data(ring->subbuf[reader->id].header) + end, 0,
	       ring->capacity - end);
	rbmap_ring_consume(ring, size);
	return rbmap_ring_exchange(ring, fresh);
}
