// SPDX-License-Identifier: GPL-2.0-only
/* Get sub-buffers, and account for lost events.  One caller at a time. */
#include <rbmap/ring/ring.h>

/* After so many laps of the writer rbmap_ring_get() returns RBMAP_GET_BUSY. */
#define RBMAP_GET_TRIES	64

/*
 * Acquire: header.commit may be ahead of the commit that we have loaded.  Pairs with
 * the releases of the publisher, as user space's loads do.
 * litmus: publish-open
 */
static u32 rbmap_subbuf_bytes(const struct rbmap_ring_subbuf *subbuf)
{
	/* model: get_header, unread, consume_size, unread_all */
	return smp_load_acquire(&subbuf->header->commit) & RBMAP_COMMIT_MASK;
}

/* Time of the first event.  The caller prevents an exchange of the memory. */
static u64 rbmap_subbuf_begun(const struct rbmap_ring_subbuf *subbuf)
{
	return READ_ONCE(subbuf->header->time_stamp);
}

static struct rbmap_ring_subbuf *rbmap_reader_subbuf(const struct rbmap_ring *ring)
{
	return &ring->subbuf[READ_ONCE(ring->reader.id)];
}

/* Begin with sub-buffer @id, and compute the losses before it. */
static void rbmap_reader_begin(struct rbmap_ring *ring, u64 seq, u32 id)
{
	const struct rbmap_ring_subbuf *subbuf = &ring->subbuf[id];
	struct rbmap_reader *reader = &ring->reader;

	WRITE_ONCE(reader->id, id);
	WRITE_ONCE(reader->offset, 0);
	reader->events = 0;
	WRITE_ONCE(reader->next, rbmap_seq_add(seq, 1, ring->modulus));
	WRITE_ONCE(reader->seq, seq);
	WRITE_ONCE(reader->holds, true);

	/* model: get_begin */
	reader->lost = subbuf->first_event - reader->expected;
	reader->expected = subbuf->first_event;
	/*
	 * Later drops may have been reported already.
	 * step: drops_before
	 */
	if (subbuf->drops_before > reader->reported_drops) {
		reader->lost += subbuf->drops_before - reader->reported_drops;
		WRITE_ONCE(reader->reported_drops, subbuf->drops_before);
	}
	reader->lost += reader->carried;
	WRITE_ONCE(reader->carried, 0);
	reader->reported += reader->lost;
}

/**
 * rbmap_ring_get - get the next sub-buffer for the reader
 * @ring: the ring
 *
 * Load commit, with acquire, before header.commit: if commit has left the sub-buffer,
 * header.commit is final.  In the other order the end of the sub-buffer could be
 * missed.
 *
 * The reader can get the sub-buffer that the writer is in, if it has an event.  The
 * writer continues in it, and finds the reader's spare in the slot a lap later.  The
 * reader gets an empty sub-buffer only after it is closed.
 * litmus: commit-header, publish-get, claim-get, get-claim,
 * get-claim-memory
 *
 * Return: enum rbmap_get.
 */
enum rbmap_get rbmap_ring_get(struct rbmap_ring *ring)
{
	struct rbmap_reader *reader = &ring->reader;
	const u64 modulus = ring->modulus;
	u64 commit, seq, slot, was;
	int tries;
	s64 ahead;
	u64 *at;

	if (reader->holds) {
		const struct rbmap_ring_subbuf *subbuf = rbmap_reader_subbuf(ring);

		commit = smp_load_acquire(&ring->commit);	/* model: get */
		/* model: get_header */
		if (reader->offset < rbmap_subbuf_bytes(subbuf))
			return RBMAP_GET_MORE;
		if (rbmap_commit_seq(commit) == reader->seq)	/* step: get_stay */
			return RBMAP_GET_EMPTY;
		WRITE_ONCE(reader->holds, false);
	}

	seq = reader->next;
	for (tries = 0; tries < RBMAP_GET_TRIES; tries++) {
		commit = smp_load_acquire(&ring->commit); /* model: get_commit */
		ahead = rbmap_seq_diff(rbmap_commit_seq(commit), seq, modulus);
		if (ahead < 0 || (ahead == 0 && !rbmap_commit_offset(commit)))
			return RBMAP_GET_EMPTY;
		if (ahead >= ring->nr_slots) {
			/*
			 * Lapped: the oldest sub-buffer is a lap behind commit.
			 * step: get_lapped
			 */
			seq = rbmap_seq_sub(rbmap_commit_seq(commit),
					    ring->nr_slots - 1, modulus);
			WRITE_ONCE(reader->next, seq);
		}

		at = &ring->slot[rbmap_seq_index(seq, ring->nr_slots)];
		slot = READ_ONCE(*at);	/* model: get_slot */
		ahead = rbmap_seq_diff(rbmap_slot_seq(slot), seq, modulus);
		if (ahead > 0) {
			/*
			 * Overwritten: the writer is in this slot already.
			 * step: get_overwritten
			 */
			seq = rbmap_seq_sub(rbmap_slot_seq(slot),
					    ring->nr_slots - 1, modulus);
			WRITE_ONCE(reader->next, seq);
			continue;
		}
		/*
		 * Full barrier: our accesses to the spare end before the writer
		 * can claim it.  Pairs with the cmpxchg in rbmap_ring_open_next().
		 * model: get_cmpxchg
		 */
		was = rb_cmpxchg(at, slot, rbmap_slot(seq, reader->id, true));
		if (was != slot)
			continue;	/* the writer has just overwritten it */
		rbmap_reader_begin(ring, seq, rbmap_slot_id(slot));
		return RBMAP_GET_NEXT;
	}
	return RBMAP_GET_BUSY;
}

/**
 * rbmap_ring_unread - number of unread bytes in the reader's sub-buffer
 * @ring: the ring
 */
u32 rbmap_ring_unread(const struct rbmap_ring *ring)
{
	if (!ring->reader.holds)
		return 0;
	return rbmap_subbuf_bytes(rbmap_reader_subbuf(ring)) -
	       ring->reader.offset;
}

/**
 * rbmap_ring_unread_bytes - number of unread bytes in the ring
 * @ring: the ring
 * @oldest: set to the time stamp of the oldest sub-buffer with unread bytes; 0: all
 *	bytes are read
 *
 * The number is exact while the ring is not written.
 * litmus: commit-header, claim-get
 *
 * Context: may sleep.
 * Return: the number of bytes, without headers of sub-buffers.
 */
u64 rbmap_ring_unread_bytes(const struct rbmap_ring *ring, u64 *oldest)
{
	u64 commit = smp_load_acquire(&ring->commit);	/* model: unread_all */
	u64 bytes = rbmap_ring_unread(ring);
	u64 seq = ring->reader.next;
	s64 ahead = rbmap_seq_diff(rbmap_commit_seq(commit), seq,
				   ring->modulus);

	*oldest = bytes ? rbmap_subbuf_begun(rbmap_reader_subbuf(ring)) : 0;
	if (ahead < 0)
		return bytes;	/* the writer is in the reader's sub-buffer */
	if (ahead >= ring->nr_slots) {
		ahead = ring->nr_slots - 1;
		seq = rbmap_seq_sub(rbmap_commit_seq(commit), ahead,
				    ring->modulus);
	}
	for (; ahead >= 0; ahead--) {
		u64 slot = READ_ONCE(ring->slot[
				rbmap_seq_index(seq, ring->nr_slots)]);
		const struct rbmap_ring_subbuf *subbuf =
			&ring->subbuf[rbmap_slot_id(slot)];
		u32 size = ahead ? rbmap_subbuf_bytes(subbuf) :
				   rbmap_commit_offset(commit);

		if (size && !bytes)
			*oldest = rbmap_subbuf_begun(subbuf);
		bytes += size;
		seq = rbmap_seq_add(seq, 1, ring->modulus);
		rb_resched();
	}
	return bytes;
}

/**
 * rbmap_ring_consume - count bytes of the reader's sub-buffer as read
 * @ring: the ring
 * @to: offset of the first byte that stays unread: the end of an event, not beyond
 *	header.commit
 *
 * The number of events in a closed sub-buffer is known.  Events of an open one are
 * counted here.
 */
void rbmap_ring_consume(struct rbmap_ring *ring, u32 to)
{
	struct rbmap_ring_subbuf *subbuf = rbmap_reader_subbuf(ring);
	struct rbmap_reader *reader = &ring->reader;
	u64 events;

	if (!rbmap_ring_reader_at_writer(ring) &&
	    to == rbmap_subbuf_bytes(subbuf))
		events = subbuf->closed_events - reader->events;
	else
		events = rbmap_count_events(subbuf->header, reader->offset, to);
	WRITE_ONCE(reader->offset, to);
	reader->events += events;
	reader->expected += events;
	WRITE_ONCE(reader->read, reader->read + events);
}

/**
 * rbmap_ring_reader_at_writer - is the writer still in the reader's sub-buffer?
 * @ring: the ring; a sealed ring has no writer
 *
 * Acquire: if the writer has left the sub-buffer, all its events can be read.
 * litmus: commit-header, publish-get, lost-mark
 */
bool rbmap_ring_reader_at_writer(const struct rbmap_ring *ring)
{
	/* model: consume_writer, mark, reset_close */
	return READ_ONCE(ring->reader.holds) &&
	       rbmap_commit_seq(smp_load_acquire(&ring->commit)) ==
	       READ_ONCE(ring->reader.seq) && !READ_ONCE(ring->sealed);
}

/**
 * rbmap_ring_mark_lost - store reader.lost in the reader's sub-buffer
 * @ring: the ring; reader.lost events were lost before the reader's sub-buffer
 *
 * Only the publisher writes header.commit until it has left the sub-buffer.  Release:
 * a reader that loads the flag can load the number.
 * litmus: lost-mark
 *
 * Return: true; false: the writer is still in the sub-buffer, and the function did
 * nothing.
 */
bool rbmap_ring_mark_lost(struct rbmap_ring *ring)
{
	struct rbmap_ring_subbuf *subbuf = rbmap_reader_subbuf(ring);
	u32 size;

	if (rbmap_ring_reader_at_writer(ring))
		return false;
	size = rbmap_subbuf_bytes(subbuf);
	/* An empty sub-buffer has the time stamp of an earlier lap: replace it. */
	if (!size)
		subbuf->header->time_stamp = rb_clock(ring->clock);
	if (ring->capacity - size >= sizeof(unsigned long)) {
		unsigned long lost = ring->reader.lost;

		memcpy(rbmap_subbuf_data(subbuf->header) + size, &lost,
		       sizeof(lost));
		size |= RBMAP_MISSED_STORED;
	}
	/* model: mark_flag */
	smp_store_release(&subbuf->header->commit, size | RBMAP_MISSED_EVENTS);
	return true;
}

static u64 rbmap_reader_unreported_drops(const struct rbmap_ring *ring)
{
	u64 dropped = rbmap_ring_dropped(ring);
	u64 reported = READ_ONCE(ring->reader.reported_drops);

	return dropped > reported ? dropped - reported : 0;
}

/**
 * rbmap_ring_unreported_drops - number of drops not reported in a sub-buffer yet
 * @ring: the ring
 *
 * The number includes losses of an earlier ring that this ring must report.
 */
u64 rbmap_ring_unreported_drops(const struct rbmap_ring *ring)
{
	return rbmap_reader_unreported_drops(ring) +
	       READ_ONCE(ring->reader.carried);
}

/**
 * rbmap_ring_report_drops - count all drops until now as reported
 * @ring: the ring
 *
 * Return: the number of drops that were not reported before.
 */
u64 rbmap_ring_report_drops(struct rbmap_ring *ring)
{
	u64 lost = rbmap_reader_unreported_drops(ring);

	WRITE_ONCE(ring->reader.reported_drops, ring->reader.reported_drops + lost);
	lost += ring->reader.carried;
	WRITE_ONCE(ring->reader.carried, 0);
	ring->reader.reported += lost;
	return lost;
}

/**
 * rbmap_ring_skip - count all committed events as read
 * @ring: the ring
 *
 * The function ends at the sub-buffer that the writer was in when it began, or when
 * the writer laps it.
 *
 * Context: may sleep.
 */
void rbmap_ring_skip(struct rbmap_ring *ring)
{
	u64 end = rbmap_commit_seq(READ_ONCE(ring->commit)); /* model: skip_end */
	enum rbmap_get result;

	do {
		result = rbmap_ring_get(ring);
		if (ring->reader.holds)
			rbmap_ring_consume(ring, ring->reader.offset +
					   rbmap_ring_unread(ring));
		rb_resched();
	} while ((result == RBMAP_GET_NEXT || result == RBMAP_GET_MORE) &&
		 rbmap_seq_diff(end, ring->reader.seq, ring->modulus) > 0);
}

/**
 * rbmap_ring_empty_reader - empty the reader's sub-buffer
 * @ring: the ring; the memory of its sub-buffers is not shared
 *
 * A reader that maps the ring afterwards finds commit = 0 and reader.read = 0.  If the
 * sub-buffer has unread events, or the writer is in it, the function does nothing.
 */
void rbmap_ring_empty_reader(struct rbmap_ring *ring)
{
	struct rbmap_reader *reader = &ring->reader;

	if (rbmap_ring_reader_at_writer(ring) || rbmap_ring_unread(ring))
		return;
	WRITE_ONCE(reader->holds, false);
	WRITE_ONCE(reader->offset, 0);
	WRITE_ONCE(rbmap_reader_subbuf(ring)->header->commit, 0);
}

/**
 * rbmap_ring_carry - report losses of an earlier ring in this one
 * @ring: the ring
 * @lost: number of lost events
 */
void rbmap_ring_carry(struct rbmap_ring *ring, u64 lost)
{
	WRITE_ONCE(ring->reader.carried, ring->reader.carried + lost);
}

/**
 * rbmap_ring_abandon - discard all unread events
 * @ring: the ring, sealed
 * @unreported: set to the number of losses of the ring that were not reported
 *
 * The reader may have got a sub-buffer, and found the loss before it, without reading an event
 * of it.  That loss is not reported either.
 *
 * Context: may sleep.
 * Return: the number of discarded events.  They do not count as read.
 */
u64 rbmap_ring_abandon(struct rbmap_ring *ring, u64 *unreported)
{
	struct rbmap_reader *reader = &ring->reader;
	u64 read = reader->read, reported = reader->reported, events;

	if (!reader->offset && rbmap_ring_unread(ring))
		reported -= reader->lost;
	rbmap_ring_skip(ring);
	rbmap_ring_report_drops(ring);
	events = reader->read - read;
	*unreported = reader->reported - reported;
	WRITE_ONCE(reader->read, read);
	reader->reported = reported;
	return events;
}

/**
 * rbmap_ring_exchange - replace the memory of the reader's sub-buffer
 * @ring: the ring; the writer has left the sub-buffer, and all of it was read
 * @fresh: new memory for the sub-buffer
 *
 * The sub-buffer becomes the reader's spare.  No other context accesses its memory:
 * the writer has left it, and gets it again from the slot that rbmap_ring_get() puts it
 * into.  Functions that do not need the reader's lock do not access memory of
 * sub-buffers.
 *
 * Return: the old memory; the caller owns it.
 */
struct rbmap_subbuf_header *
rbmap_ring_exchange(struct rbmap_ring *ring, struct rbmap_subbuf_header *fresh)
{
	struct rbmap_ring_subbuf *subbuf = rbmap_reader_subbuf(ring);
	struct rbmap_subbuf_header *had = subbuf->header;

	WRITE_ONCE(ring->reader.holds, false);
	WRITE_ONCE(ring->reader.offset, 0);
	ring->reader.lost = 0;
	/*
	 * The slot table still has this sub-buffer.  An observer that maps the ring
	 * later must not find events of another sub-buffer in it.
	 */
	WRITE_ONCE(fresh->commit, 0);
	subbuf->header = fresh;	/* litmus: get-claim-memory */
	return had;
}

/*
 * Bytes of the reader's sub-buffer, if commit is at most at the start of the next one.
 * Without the reader's lock the memory may be exchanged at any time: use the size that
 * the writer stores outside of it.
 */
static u32 rbmap_reader_size(const struct rbmap_ring *ring, u64 commit,
			     s64 ahead)
{
	/* litmus: publish-get */
	return ahead < 0 ? rbmap_commit_offset(commit) :
			   READ_ONCE(rbmap_reader_subbuf(ring)->end);
}

/**
 * rbmap_ring_has_event - does the ring have an unread event?
 * @ring: the ring
 *
 * Context: any.  The reader's lock is not needed: the result is a hint.  It is true
 * after a commit.
 * litmus: publish-get
 */
bool rbmap_ring_has_event(const struct rbmap_ring *ring)
{
	u64 commit = smp_load_acquire(&ring->commit); /* model: HAS_EVENT */
	s64 ahead = rbmap_seq_diff(rbmap_commit_seq(commit),
				   READ_ONCE(ring->reader.next), ring->modulus);

	if (ahead > 0 || (ahead == 0 && rbmap_commit_offset(commit)))
		return true;
	return READ_ONCE(ring->reader.holds) &&
	       READ_ONCE(ring->reader.offset) <
	       rbmap_reader_size(ring, commit, ahead);
}

/**
 * rbmap_ring_has_closed - does a sub-buffer that the writer has left have unread events?
 * @ring: the ring
 *
 * Context: any.  The reader's lock is not needed: the result is a hint.
 * litmus: publish-get
 */
bool rbmap_ring_has_closed(const struct rbmap_ring *ring)
{
	u64 commit = smp_load_acquire(&ring->commit); /* model: HAS_CLOSED */
	s64 ahead = rbmap_seq_diff(rbmap_commit_seq(commit),
				   READ_ONCE(ring->reader.next), ring->modulus);

	if (READ_ONCE(ring->sealed))
		return rbmap_ring_has_event(ring);
	if (ahead)
		return ahead > 0;
	return READ_ONCE(ring->reader.holds) &&
	       READ_ONCE(ring->reader.offset) <
	       rbmap_reader_size(ring, commit, ahead);
}

/**
 * rbmap_ring_closed_unread - number of closed sub-buffers in slots
 * @ring: the ring
 *
 * Context: any.  The reader's lock is not needed: the result is a hint.
 */
u32 rbmap_ring_closed_unread(const struct rbmap_ring *ring)
{
	u64 commit = READ_ONCE(ring->commit);
	s64 ahead = rbmap_seq_diff(rbmap_commit_seq(commit),
				   READ_ONCE(ring->reader.next), ring->modulus);

	if (ahead <= 0)
		return 0;
	return ahead < ring->nr_slots ? ahead : ring->nr_slots;
}
