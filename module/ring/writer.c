// SPDX-License-Identifier: GPL-2.0-only
/*
 * The writer's slow path: open the next sub-buffer, close the earlier ones.  The fast
 * path is inline, also in other modules, and calls these functions.
 */
#include <rbmap/ring/reserve.h>

/* Raise *stamp to at least ts.  A nested context may raise it further. */
static void rbmap_stamp_raise(u64 *stamp, u64 ts)
{
	u64 was;

	do {	/* model: raise_cmpxchg */
		was = READ_ONCE(*stamp);
	} while (was < ts && rb_local_cmpxchg(stamp, was, ts) != was);
}

/**
 * rbmap_ring_forget_stamps - make the next event take an absolute time stamp
 * @ring: the ring
 *
 * Sets after = 0, so that before != after: no clock returns 0.  The clock may step
 * back: after each step before, after or floor is at least the time of the last event
 * in the ring.  If a nested event comes between two steps, its stamps stay valid.
 *
 * An attempt that lost its cmpxchg of the tail may have stored an old time in before.
 * The last step raises before to floor: an interrupted context compares before with
 * its own stamp to find out whether events came after its own.
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
 * rbmap_ring_stamp - choose the time stamp of an event that has no plain delta
 * @ring: the ring
 * @offset: offset of the tail in its sub-buffer
 * @before: stamp of the last attempt
 * @after: stamp of the last event, if it equals @before
 * @ts: time of the event
 *
 * The event's own delta is 0.  An absolute stamp holds 59 bits of the time: the event
 * does not fit into this sub-buffer if the other 5 bits differ from the sub-buffer's.
 *
 * Return: the time, and the type of the record before the event.
 */
noinline struct rbmap_stamp rbmap_ring_stamp(struct rbmap_ring *ring,
					     u32 offset, u64 before, u64 after,
					     u64 ts)
{
	u64 floor = READ_ONCE(ring->floor);
	struct rbmap_stamp stamp = { .fits = true };

	/*
	 * ts < floor: the clock stepped back, or a nested event came after we read
	 * the clock.  Read it again.
	 * model: floor_load
	 */
	barrier();
	if (ts < floor)		/* step: floor_reread */
		ts = rb_clock(ring->clock);
	if (ts < floor)		/* step: floor_limit */
		ts = floor;
	if (ts < before)	/* step: before_limit */
		ts = before;
	if (ts < after)		/* step: after_limit */
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

/*
 * Let tail_header be the memory of the tail's sub-buffer.  A nested context may move the
 * tail further between any two steps, and then stores its own: look at the tail again.
 */
static void rbmap_ring_set_tail_header(struct rbmap_ring *ring)
{
	u64 tail;

	do {
		tail = READ_ONCE(ring->tail);	/* model: header_tail */
		/* model: header_store */
		WRITE_ONCE(ring->tail_header,
			   ring->subbuf[rbmap_tail_id(tail)].header);
		barrier();
		/* model: header_recheck */
	} while (rbmap_tail_seq(READ_ONCE(ring->tail)) != rbmap_tail_seq(tail));
}

/**
 * rbmap_ring_open_next - move the tail to the next sub-buffer
 * @ring: the ring, entered
 * @tail: the tail whose sub-buffer has no room for the event
 *
 * There are two steps: claim a slot, then move the tail.  Each step has one winner
 * among the nested contexts.  A context that finds the slot claimed moves the tail.
 *
 * Return: RBMAP_DROP_NONE: load the tail again; else the cause why the event must be
 * dropped.
 */
noinline enum rbmap_drop rbmap_ring_open_next(struct rbmap_ring *ring,
					      u64 tail)
{
	/* Constant here: only the outermost context publishes, and we are in the ring. */
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
		if (rbmap_slot_seq(slot) == seq)	/* step: slot_claimed */
			break;		/* claimed by a nested context */
		if (rbmap_slot_seq(slot) != lap_ago)
			return RBMAP_DROP_NONE;	/* the tail has moved on */

		if (!rbmap_slot_free(slot)) {
			if (READ_ONCE(ring->mode) == RBMAP_MODE_DISCARD)
				return RBMAP_DROP_FULL;
			/*
			 * An interrupted context has uncommitted events there:
			 * do not overwrite them.
			 */
			if (rbmap_seq_diff(commit_seq, lap_ago, modulus) <= 0)
				return RBMAP_DROP_LAPPED;
		}

		/*
		 * Full barrier: the reader that put its spare sub-buffer into
		 * this slot does not access it any longer.  Pairs with the
		 * cmpxchg in rbmap_ring_get().
		 * litmus: get-claim, get-claim-readers, get-claim-memory
		 * model: slot_claim
		 */
		was = rb_cmpxchg(at, slot,
				 rbmap_slot(seq, rbmap_slot_id(slot), false));
		if (was != slot)	/* step: claim_lost */
			continue;	/* a reader or a nested context won */
		if (!rbmap_slot_free(slot)) {	/* step: overrun */
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
	 * Update the slot table before any context writes to the sub-buffer, so
	 * that observers find it overwritten.  The context that moves the tail
	 * has updated the slot table first.  A context that claimed the slot and
	 * was interrupted stores the same value later.  Pairs with the read
	 * barrier of linux/rbmap.h.
	 * litmus: observe-slot
	 * model: show_slot
	 */
	WRITE_ONCE(rbmap_ring_table_slot(ring, seq)->slot, slot);
	smp_wmb();

	/*
	 * No reader gets this slot before commit reaches it, so that the slot
	 * still has the id that was claimed.
	 * model: tail_move, end_record
	 */
	if (rb_local_cmpxchg(&ring->tail, tail,
			     rbmap_tail(seq, rbmap_slot_id(slot), 0)) == tail) {
		WRITE_ONCE(ring->subbuf[rbmap_tail_id(tail)].end,
			   rbmap_tail_offset(tail));
		rbmap_ring_set_tail_header(ring);
	}
	return RBMAP_DROP_NONE;
}
EXPORT_SYMBOL_GPL(rbmap_ring_open_next);

/**
 * rbmap_ring_close_subbufs - close the sub-buffers between commit and tail
 * @ring: the ring; the caller is its publisher
 * @commit: the commit word
 * @tail: the tail that will be published; it is in a later sub-buffer
 *
 * All events of these sub-buffers are committed: the caller wrote them, or contexts
 * nested in the caller.  Observers read a sub-buffer when it is the newest one or
 * older: its header.commit is of this lap then.
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
	u32 own = ring->own_events;

	WRITE_ONCE(ring->own_events, 0);
	local_add(own, &ring->subbuf[id].events);
	do {
		struct rbmap_ring_subbuf *subbuf = &ring->subbuf[id];

		/* model: close_header */
		smp_store_release(&subbuf->header->commit, subbuf->end);
		/* model: close_events */
		subbuf->closed_events = local_read(&subbuf->events);
		local_set(&subbuf->events, 0);
		events += subbuf->closed_events;

		seq = rbmap_seq_add(seq, 1, ring->modulus);
		/* model: close_slot */
		id = rbmap_slot_id(READ_ONCE(ring->slot[
				rbmap_seq_index(seq, ring->nr_slots)]));
		subbuf = &ring->subbuf[id];
		subbuf->first_event = events;	/* model: close_first */
		subbuf->drops_before = rbmap_ring_dropped(ring);
		WRITE_ONCE(subbuf->header->commit, 0);	/* step: header_reset */
		WRITE_ONCE(rbmap_ring_table_slot(ring, seq)->events,
			   events + subbuf->drops_before);
		/* model: show_newest */
		smp_store_release(&ring->slot_table->newest, seq);
		WRITE_ONCE(ring->touched, ring->touched + 1);
	} while ((seq & RBMAP_TAIL_SEQ_MASK) != rbmap_tail_seq(tail));
	WRITE_ONCE(ring->closed_events, events);
	WRITE_ONCE(ring->commit_id, id);
	return seq;
}
EXPORT_SYMBOL_GPL(rbmap_ring_close_subbufs);

/* Let the fast path fill that many words of a sub-buffer, by the ring's clock. */
static void rbmap_ring_admit(struct rbmap_ring *ring, u32 words)
{
	WRITE_ONCE(ring->try_words, ring->clock == RBMAP_CLOCK_LOCAL ? words : 0);
	WRITE_ONCE(ring->tsc_words, ring->clock == RBMAP_CLOCK_X86_TSC ? words : 0);
}

/**
 * rbmap_ring_set_off - switch the ring off or on
 * @ring: the ring
 * @off: true: the ring refuses events
 *
 * Before setting `off`, clear the words that the fast path may fill.  Restore them after
 * clearing `off`.  So a writer that the fast path admits never finds the ring off in the
 * slow path.
 */
void rbmap_ring_set_off(struct rbmap_ring *ring, bool off)
{
	if (off) {
		rbmap_ring_admit(ring, 0);
		barrier();
	}
	WRITE_ONCE(ring->off, off);	/* model: turn_off */
	barrier();
	if (!off)
		rbmap_ring_admit(ring, ring->capacity >> 2);
}

/**
 * rbmap_ring_other_clock - read the clock of a ring, where the fast path does not read it
 * @ring: the ring, entered
 *
 * Return: the time.
 */
noinline u64 rbmap_ring_other_clock(const struct rbmap_ring *ring)
{
	return rb_clock(ring->clock);
}
EXPORT_SYMBOL_GPL(rbmap_ring_other_clock);
RB_EARLY_FUNCTION(rbmap_ring_other_clock);
RB_EXPORT_THUNK(rbmap_ring_other_clock);

/**
 * rbmap_ring_publish_slow - rbmap_ring_publish() as a call
 * @ring: the ring of this CPU
 *
 * Return: @ring, which the caller need not keep across the call.
 */
noinline struct rbmap_ring *rbmap_ring_publish_slow(struct rbmap_ring *ring)
{
	rbmap_ring_publish(ring);
	return ring;
}
EXPORT_SYMBOL_GPL(rbmap_ring_publish_slow);

/**
 * rbmap_ring_commit_slow - rbmap_ring_commit() of an event that is not alone
 * @ring: the ring of this CPU
 * @next: the tail behind the event
 *
 * Return: @ring, which the caller need not keep across the call.
 */
noinline struct rbmap_ring *rbmap_ring_commit_slow(struct rbmap_ring *ring, u64 next)
{
	local_inc(&ring->subbuf[rbmap_tail_id(next)].events);
	rbmap_ring_publish(ring);
	return ring;
}
EXPORT_SYMBOL_GPL(rbmap_ring_commit_slow);

/**
 * rbmap_ring_close - close the open sub-buffer, so that a reader can get all of it
 * @ring: the ring
 * @seq: sub-buffer to close; if the writer has left it, the function does nothing
 *
 * Context: any context of the ring's CPU; or any CPU while that one is offline.
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
