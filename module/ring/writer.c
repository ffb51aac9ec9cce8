// SPDX-License-Identifier: GPL-2.0-only
/*
 * The writer's slow path: open the next sub-buffer, close those left behind.
 * The fast path is inline in other modules, too, which call this.
 */
#include <rbmap/ring/reserve.h>

/* Lift it to ts, unless it is there; a nested context may lift it further. */
static void rbmap_stamp_raise(u64 *stamp, u64 ts)
{
	u64 was;

	do {	/* model: raise_cmpxchg */
		was = READ_ONCE(*stamp);
	} while (was < ts && rb_local_cmpxchg(stamp, was, ts) != was);
}

/**
 * rbmap_ring_forget_stamps - the next event shall have no delta
 * @ring: the ring
 *
 * Leaves before != after: 0 is none, as clocks have left it behind.  Each step
 * keeps a time that no event in the ring is later than in before, after or
 * floor, for a clock that steps back; and a nested event between two steps
 * keeps the stamps that it leaves.
 *
 * An attempt that did not win may have put an old time into before.  Here it
 * is lifted beyond all events again: a context that we interrupted sees by it
 * whether events came after its own.
 */
noinline void rbmap_ring_forget_stamps(struct rbmap_ring *ring)
{
	rbmap_stamp_raise(&ring->floor, READ_ONCE(ring->after));
	barrier();
	WRITE_ONCE(ring->after, 0);	/* model: forget_after */
	barrier();
	/* model: forget_before */
	rbmap_stamp_raise(&ring->floor, READ_ONCE(ring->before));
	barrier();
	/* model: forget_lift */
	rbmap_stamp_raise(&ring->before, READ_ONCE(ring->floor));
	barrier();
}
EXPORT_SYMBOL_GPL(rbmap_ring_forget_stamps);

/**
 * rbmap_ring_stamp - the time of an event that can't simply have a delta
 * @ring: the ring
 * @offset: where the tail is
 * @before: stamp of the last attempt
 * @after: stamp of the last event, if @before is the same
 * @ts: the event's time
 *
 * Return: what to do.  Its own delta is 0.  It does not fit where an absolute
 * stamp holds 59 bits, and the other 5 are not those of this sub-buffer.
 */
noinline struct rbmap_stamp rbmap_ring_stamp(struct rbmap_ring *ring,
					     u32 offset, u64 before, u64 after,
					     u64 ts)
{
	u64 floor = READ_ONCE(ring->floor);
	struct rbmap_stamp stamp = { .fits = true };

	/*
	 * Did the clock step back, or did somebody come after we read it?
	 * model: floor_load
	 */
	barrier();
	if (ts < floor)
		ts = rb_clock(ring->clock);
	if (ts < floor)
		ts = floor;
	if (ts < before)
		ts = before;
	if (ts < after)
		ts = after;
	stamp.ts = ts;
	if (offset == 0)
		return stamp;
	if (before == after) {
		if (ts == after)
			return stamp;
		stamp.type = RBMAP_TYPE_TIME_EXTEND;
	} else {
		stamp.type = RBMAP_TYPE_TIME_STAMP;
	}
	stamp.fits = ts >> RBMAP_STAMP_BITS == READ_ONCE(ring->epoch);
	return stamp;
}
EXPORT_SYMBOL_GPL(rbmap_ring_stamp);

/**
 * rbmap_ring_open_next - move the tail to the next sub-buffer
 * @ring: the ring, entered
 * @tail: the tail that had no room
 *
 * Claiming a slot and moving the tail are two steps, and each has one winner
 * among the nested contexts; who finds the first done does the second.
 *
 * Return: RBMAP_DROP_NONE: look at the tail again; else drop the event: why.
 */
noinline enum rbmap_drop rbmap_ring_open_next(struct rbmap_ring *ring,
					      u64 tail)
{
	/* Nobody publishes while we are in the ring: this stays as it is. */
	const u64 commit_seq = rbmap_commit_seq(READ_ONCE(ring->commit));
	const u64 modulus = ring->modulus;
	u64 seq, lap_ago, slot, was;
	u64 *at;

	seq = rbmap_seq_expand(rbmap_tail_seq(tail), commit_seq, modulus);
	seq = rbmap_seq_add(seq, 1, modulus);
	lap_ago = rbmap_seq_sub(seq, ring->nr_slots, modulus);
	at = &ring->slot[rbmap_seq_index(seq, ring->nr_slots)];

	for (;;) {
		slot = READ_ONCE(*at);	/* model: slot_load */
		if (rbmap_slot_seq(slot) == seq)
			break;		/* claimed by a nested context */
		if (rbmap_slot_seq(slot) != lap_ago)
			return RBMAP_DROP_NONE;	/* the tail has gone on */

		if (!rbmap_slot_free(slot)) {
			if (READ_ONCE(ring->mode) == RBMAP_MODE_DISCARD)
				return RBMAP_DROP_FULL;
			/*
			 * What an interrupted context has not committed yet is
			 * not ours to overwrite.
			 */
			if (rbmap_seq_diff(commit_seq, lap_ago, modulus) <= 0)
				return RBMAP_DROP_LAPPED;
		}

		/*
		 * Full: the reader that left this sub-buffer here has done
		 * with it.  Pairs with the cmpxchg in rbmap_ring_get().
		 * litmus: take-claim, take-claim-readers, take-claim-memory
		 * model: slot_claim
		 */
		was = rb_cmpxchg(at, slot,
				 rbmap_slot(seq, rbmap_slot_id(slot), false));
		if (was != slot)
			continue;	/* taken, or claimed: look again */
		if (!rbmap_slot_free(slot)) {
			struct rbmap_ring_subbuf *old;

			old = &ring->subbuf[rbmap_slot_id(slot)];
			/* model: overrun_add */
			local_add(old->closed_events, &ring->overrun);
			local_inc(&ring->overwritten);
		}
		slot = rbmap_slot(seq, rbmap_slot_id(slot), false);
		break;
	}

	/*
	 * Nobody writes to it before observers can see that it is not what it
	 * was: whoever moves the tail has shown it first, and what a context
	 * that claimed it and was interrupted shows later is the same.  Pairs
	 * with the read barrier of linux/rbmap.h.  litmus: observe-slot
	 * model: show_slot
	 */
	WRITE_ONCE(rbmap_ring_table_slot(ring, seq)->slot, slot);
	smp_wmb();

	/*
	 * No reader takes this slot before commit gets here, so the id is
	 * still the one that was claimed.
	 * model: tail_move, end_record
	 */
	if (rb_local_cmpxchg(&ring->tail, tail,
			     rbmap_tail(seq, rbmap_slot_id(slot), 0)) == tail)
		WRITE_ONCE(ring->subbuf[rbmap_tail_id(tail)].end,
			   rbmap_tail_offset(tail));
	return RBMAP_DROP_NONE;
}
EXPORT_SYMBOL_GPL(rbmap_ring_open_next);

/**
 * rbmap_ring_close_subbufs - close what lies between commit and tail
 * @ring: the ring; the caller is its publisher
 * @commit: the commit word
 * @tail: what will be published
 *
 * All events of these are committed: who wrote them nested in us, or is us.
 * Observers look at a sub-buffer once it is the newest one or older: its
 * header.commit is then not that of the lap before.
 * litmus: publish-open, observe-newest
 *
 * Return: seq of the tail.
 */
noinline u64 rbmap_ring_close_subbufs(struct rbmap_ring *ring, u64 commit,
				      u64 tail)
{
	u64 seq = rbmap_commit_seq(commit);
	u64 events = ring->closed_events;
	u32 id = ring->commit_id;

	while ((seq & RBMAP_TAIL_SEQ_MASK) != rbmap_tail_seq(tail)) {
		struct rbmap_ring_subbuf *subbuf = &ring->subbuf[id];

		/* model: close_header, close_events */
		smp_store_release(&subbuf->header->commit, subbuf->end);
		subbuf->closed_events = local_read(&subbuf->events);
		local_set(&subbuf->events, 0);
		events += subbuf->closed_events;

		seq = rbmap_seq_add(seq, 1, ring->modulus);
		/* model: close_slot, close_first */
		id = rbmap_slot_id(READ_ONCE(ring->slot[
				rbmap_seq_index(seq, ring->nr_slots)]));
		subbuf = &ring->subbuf[id];
		subbuf->first_event = events;
		subbuf->drops_before = rbmap_ring_dropped(ring);
		/* model: show_newest */
		WRITE_ONCE(subbuf->header->commit, 0);
		WRITE_ONCE(rbmap_ring_table_slot(ring, seq)->events,
			   events + subbuf->drops_before);
		smp_store_release(&ring->slot_table->newest, seq);
		WRITE_ONCE(ring->touched, ring->touched + 1);
	}
	WRITE_ONCE(ring->closed_events, events);
	WRITE_ONCE(ring->commit_id, id);
	return seq;
}
EXPORT_SYMBOL_GPL(rbmap_ring_close_subbufs);

/**
 * rbmap_ring_set_off - have it take no events, or take them again
 * @ring: the ring
 * @off: none
 *
 * What is on the short path is told so in the order in which nobody there finds it
 * on who would find it off elsewhere.
 */
void rbmap_ring_set_off(struct rbmap_ring *ring, bool off)
{
	if (off) {
		WRITE_ONCE(ring->try_words, 0);
		barrier();
	}
	WRITE_ONCE(ring->off, off);	/* model: turn_off */
	barrier();
	if (!off && ring->clock == RBMAP_CLOCK_LOCAL)
		WRITE_ONCE(ring->try_words, ring->capacity >> 2);
}

/**
 * rbmap_ring_other_clock - the time of an event for which try_words is too small
 * @ring: entered
 * @words: to its end, of the sub-buffer
 *
 * Return: nanoseconds, or whatever its clock counts; 0: it does not fit, or the ring
 * is off.
 */
noinline u64 rbmap_ring_other_clock(const struct rbmap_ring *ring, u32 words)
{
	if (words > ring->capacity >> 2 || READ_ONCE(ring->off))
		return 0;
	return rb_clock(ring->clock);
}
EXPORT_SYMBOL_GPL(rbmap_ring_other_clock);

/**
 * rbmap_ring_publish_slow - rbmap_ring_publish() as a call
 * @ring: of this CPU
 */
noinline void rbmap_ring_publish_slow(struct rbmap_ring *ring)
{
	rbmap_ring_publish(ring);
}
EXPORT_SYMBOL_GPL(rbmap_ring_publish_slow);

/**
 * rbmap_ring_close - close the open sub-buffer so that it can be taken whole
 * @ring: the ring
 * @seq: the one to close; nothing is done if the writer has left it
 *
 * Context: the ring's CPU, any; or any CPU while that one is off line.
 */
void rbmap_ring_close(struct rbmap_ring *ring, u64 seq)
{
	rbmap_ring_enter(ring);
	if (!rbmap_ring_too_deep(ring)) {
		u64 tail = READ_ONCE(ring->tail);	/* model: close_look */

		while (rbmap_tail_seq(tail) == (seq & RBMAP_TAIL_SEQ_MASK) &&
		       rbmap_ring_open_next(ring, tail) == RBMAP_DROP_NONE)
			tail = READ_ONCE(ring->tail);
	}
	rbmap_ring_publish(ring);
}
