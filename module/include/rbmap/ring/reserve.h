/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The writer's fast path: reserve, commit, discard.  The caller has disabled
 * preemption.  Between any two instructions a nested context may run all of this and
 * finish.  It restores nest; its changes of tail, before and after are detected.
 */
#ifndef RBMAP_RING_RESERVE_H
#define RBMAP_RING_RESERVE_H

#include <rbmap/ring/rare.h>
#include <rbmap/ring/ring.h>

static __always_inline u32 rbmap_ring_max_event(const struct rbmap_ring *ring)
{
	return rbmap_max_event(ring->capacity);
}

/**
 * rbmap_ring_enter - begin an event
 * @ring: the ring of this CPU
 *
 * A nested context between the load and the store restores nest, so a plain increment
 * is enough.
 */
static __always_inline void rbmap_ring_enter(struct rbmap_ring *ring)
{
	WRITE_ONCE(ring->nest, READ_ONCE(ring->nest) + 1);	/* model: enter */
	barrier();
}

/**
 * rbmap_ring_too_deep - are more than RBMAP_MAX_NEST contexts nested?
 * @ring: the ring, entered; the caller drops its event if so
 */
static __always_inline bool rbmap_ring_too_deep(const struct rbmap_ring *ring)
{
	return unlikely(READ_ONCE(ring->nest) > RBMAP_MAX_NEST);
}

/**
 * rbmap_ring_publish - end an event
 * @ring: the ring of this CPU
 *
 * The outermost context publishes its events and those of all nested contexts.  It
 * stores header.commit of the closed sub-buffers, then header.commit of the open one,
 * then commit, with release.  Pairs with the acquire in rbmap_ring_get(): a reader that
 * loads commit can load every byte and every count that it covers.  The stores of
 * header.commit are releases as well: a reader that holds the sub-buffer loads
 * header.commit alone.
 * litmus: publish-get, publish-open, commit-header, lost-mark, meta-reader,
 *	observe-slot
 */
static inline void rbmap_ring_publish(struct rbmap_ring *ring)
{
	bool closed = false;
	u32 nest;

	barrier();
	nest = READ_ONCE(ring->nest);	/* model: leave */
	if (unlikely(nest > 1)) {
		WRITE_ONCE(ring->nest, nest - 1);
		return;
	}
	for (;;) {
		u64 tail = READ_ONCE(ring->tail);	/* model: publish */
		u64 commit = READ_ONCE(ring->commit);
		u64 seq = rbmap_commit_seq(commit);
		u32 offset = rbmap_tail_offset(tail);

		if (unlikely((seq & RBMAP_TAIL_SEQ_MASK) != rbmap_tail_seq(tail))) {
			seq = rbmap_ring_close_subbufs(ring, commit, tail);
			closed = true;
		}

		/* model: publish_header */
		smp_store_release(&ring->subbuf[rbmap_tail_id(tail)].header->commit,
				  offset);
		/* model: publish_commit */
		smp_store_release(&ring->commit, rbmap_commit_word(seq, offset));
		WRITE_ONCE(ring->published, tail);

		/*
		 * From here on a context that interrupts us publishes itself.
		 * A context that came after our load of the tail has not
		 * published: load the tail again.
		 */
		barrier();
		WRITE_ONCE(ring->nest, 0);	/* model: publish_nest */
		barrier();
		/* model: publish_recheck */
		if (likely(READ_ONCE(ring->tail) == tail))
			break;
		WRITE_ONCE(ring->nest, 1);	/* model: publish_again */
		barrier();
	}
	if (unlikely(closed))
		ring->ops->closed(ring);
}

/**
 * rbmap_ring_leave - leave the ring without an event
 * @ring: the ring of this CPU
 *
 * If nested contexts have not written events either, nothing is to be published.
 */
static inline void rbmap_ring_leave(struct rbmap_ring *ring)
{
	/* No other context changes this word while this one is in the ring. */
	const u64 published = READ_ONCE(ring->published);

	barrier();
	/* model: leave_empty */
	if (likely(READ_ONCE(ring->nest) == 1 && READ_ONCE(ring->tail) == published)) {
		WRITE_ONCE(ring->nest, 0);	/* model: publish_nest */
		barrier();
		/* model: publish_recheck */
		if (likely(READ_ONCE(ring->tail) == published))
			return;
		WRITE_ONCE(ring->nest, 1);	/* model: publish_again */
	}
	rbmap_ring_publish(ring);
}

static inline void rbmap_ring_drop(struct rbmap_ring *ring, enum rbmap_drop why)
{
	local_inc(&ring->dropped[why]);
	rbmap_ring_leave(ring);
}

/**
 * rbmap_ring_reserve - reserve an event
 * @ring: the ring, entered
 * @size: bytes of payload
 * @resv: filled with the reservation
 * @drop: set to the cause if the event must be dropped
 *
 * An event with delta 0 has a multiple of 8 bytes, so that a discarded event can be
 * filled with time extends by 0.
 *
 * If before == after, `after` is the time of the event right before the tail, and a
 * delta from it is valid.  An attempt stores its time in `before`, moves the tail, and
 * stores the time in `after`.  If a nested context interrupted an attempt, `before` has
 * another value than the attempt's own: the attempt clears `after`.  An attempt that
 * loses the cmpxchg of the tail clears both.  This matters if the clock is coarse:
 * an attempt and an event long before the tail can have the same time.  It does not
 * matter without interruption: see rbmap_ring_reserve_fast().
 *
 * Return: the payload; NULL: drop the event.
 */
static inline void *rbmap_ring_reserve(struct rbmap_ring *ring, u32 size,
				       struct rbmap_reservation *resv,
				       enum rbmap_drop *drop)
{
	const u32 event_len = rbmap_event_len(size);
	struct rbmap_subbuf_header *header;
	u64 tail, before, after, ts, delta;
	u32 offset, len, type, own_len;
	u32 *event;

	for (;;) {
		tail = READ_ONCE(ring->tail);		/* model: tail_load */
		offset = rbmap_tail_offset(tail);
		/* Without a stamp already too large: do not read the clock. */
		if (unlikely(offset + event_len > ring->capacity))
			goto next;
		barrier();
		before = READ_ONCE(ring->before);	/* model: before_load */
		after = READ_ONCE(ring->after);		/* model: after_load */
		barrier();
		ts = rb_clock(ring->clock);		/* model: clock_load */
		barrier();

		own_len = event_len;
		type = 0;
		delta = ts - after;
		if (unlikely(offset == 0 || before != after ||
			     delta - 1 >= RBMAP_DELTA_MAX)) {
			struct rbmap_stamp stamp =
				rbmap_ring_stamp(ring, offset, before, after,
						 ts);

			if (!stamp.fits)
				goto next;
			ts = stamp.ts;
			type = stamp.type;
			delta = type ? ts - after : 0;
			own_len = ALIGN(event_len, 8);
		}
		len = own_len + (type ? RBMAP_STAMP_LEN : 0);
		if (unlikely(offset + len > ring->capacity))	/* step: room */
			goto next;

		WRITE_ONCE(ring->before, ts);		/* model: before_store */
		barrier();
		/* model: tail_cmpxchg */
		if (likely(rb_local_cmpxchg(&ring->tail, tail,
					    tail + (len >> 2)) == tail))
			break;
		rbmap_ring_forget_stamps(ring);		/* step: tail_lost */
		continue;
next:
		*drop = rbmap_ring_open_next(ring, tail);
		if (*drop != RBMAP_DROP_NONE)
			return NULL;
	}
	barrier();
	WRITE_ONCE(ring->after, ts);			/* model: after_store */
	barrier();
	if (unlikely(READ_ONCE(ring->before) != ts))	/* model: before_recheck */
		rbmap_ring_forget_stamps(ring);

	header = ring->subbuf[rbmap_tail_id(tail)].header;
	if (unlikely(offset == 0)) {
		/* Only the event at offset 0 writes these. */
		header->time_stamp = ts;
		WRITE_ONCE(ring->epoch, ts >> RBMAP_STAMP_BITS);
	}
	event = (u32 *)(rbmap_subbuf_data(header) + offset);
	resv->ring = ring;
	resv->event = event;
	resv->header = header;
	resv->end = offset + len;
	resv->next = tail + (len >> 2);
	resv->published = RBMAP_UNPUBLISHED;
	resv->words = len >> 2;
	resv->own_words = 0;
	resv->stamp_len = 0;
	if (unlikely(type)) {
		event = rbmap_stamp_encode(event, type,
					   type == RBMAP_TYPE_TIME_STAMP ?
					   ts : delta);
		resv->stamp_len = RBMAP_STAMP_LEN;
		delta = 0;
	}
	return rbmap_event_encode(event, own_len, delta);
}

/**
 * rbmap_ring_reserve_fast - enter the ring and reserve an event in the common case
 * @ring: the ring of this CPU
 * @len: rbmap_event_len() of the payload
 * @known: a time that this context has read from rb_clock_local(), or 0.  A ring with
 *	that clock uses it instead of another reading
 * @thunks: whether clocks are called through thunks, see rare.h
 * @resv: filled with the reservation
 *
 * The common case: no other context is in the ring, all events are published, the
 * event has a plain delta, and it fits.  Unlike rbmap_ring_reserve() this function
 * reads the clock before the stamps.  Both orders are valid: a nested event between the
 * two moves the tail.  A nested event after the reading of @known and before the load of
 * the tail has left a later stamp: the delta is not a plain one.
 *
 * Return: the payload; NULL: the ring is entered, and nothing is reserved.
 */
static __always_inline void *rbmap_ring_reserve_fast(struct rbmap_ring *ring, u32 len,
						     u64 known, const bool thunks,
						     struct rbmap_reservation *resv)
{
	u64 tail, before, ts, back;
	struct rbmap_subbuf_header *header;
	void *payload;
	u32 end;
	u64 word;
	u32 *event;

	if (unlikely(rb_read_plain(ring->nest))) {	/* step: nested */
		barrier();
		rbmap_ring_enter(ring);
		return NULL;
	}
	WRITE_ONCE(ring->nest, 1);	/* model: enter */
	barrier();
	tail = READ_ONCE(ring->tail);		/* model: tail_load */
	word = rbmap_tail_word(tail);
	if (unlikely(!word))			/* step: first_in_subbuf */
		return NULL;
	end = (u32)word + (len >> 2);
	barrier();
	/*
	 * Test this where the clock is called: the rare cases add no second call site.
	 * A context that entered the ring while it was on may write.
	 * model: look_off
	 */
	if (likely(end <= rb_read_plain(ring->try_words))) {
		ts = known ? known : rb_clock_local_by(thunks);	/* model: clock_first */
	} else if (RB_HAS_TSC && end <= rb_read_plain(ring->tsc_words)) {
		ts = rb_clock_tsc();		/* step: clock_tsc */
	} else {
		if (READ_ONCE(ring->off) || end > ring->capacity >> 2)
			return NULL;
		ts = thunks ? rb_early_call1(rbmap_ring_other_clock, ring) :
			      rbmap_ring_other_clock(ring);
	}
	barrier();
	/* Load after the clock call: the value needs no register across the call. */
	before = READ_ONCE(ring->before);	/* model: before_load */
	/* model: after_load */
	if (unlikely(before != rb_read_plain(ring->after)))
		return NULL;
	barrier();
	/* Is ts - before 1 to RBMAP_DELTA_MAX?  This way it is one comparison. */
	back = before - ts;
	if (unlikely(back < -(u64)RBMAP_DELTA_MAX))
		return NULL;
	/*
	 * It is that of the tail that was loaded, if the cmpxchg finds this tail: a
	 * nested context that opens a sub-buffer changes both.
	 */
	header = READ_ONCE(ring->tail_header);	/* model: header_load */

	/*
	 * Stamps are not cleared here.  If a nested context leaves stamps that differ
	 * from ours, the next event detects it.  If they are the same, they are the
	 * time of the event before the tail.  No interrupted context below us can
	 * confuse our stamp with its own.
	 */
	WRITE_ONCE(ring->before, ts);		/* model: before_store */
	barrier();
	/* model: tail_cmpxchg */
	if (unlikely(!rb_local_try_cmpxchg(&ring->tail, tail,
					   tail + (len >> 2))))
		return NULL;
	barrier();
	WRITE_ONCE(ring->after, ts);		/* model: after_store */
	barrier();

	event = (u32 *)rbmap_subbuf_data(header) + word;
	resv->ring = ring;
	resv->header = header;
	resv->end = (word + (len >> 2)) << 2;
	resv->event = event;
	resv->next = tail + (len >> 2);
	resv->published = tail;
	resv->words = len >> 2;
	resv->own_words = len >> 2;
	resv->stamp_len = 0;
	payload = rbmap_event_encode(event, len, -back);
	/* payload is never NULL: the compiler drops the caller's test. */
	if (!payload)
		__builtin_unreachable();
	return payload;
}

/**
 * rbmap_ring_commit - publish an event
 * @ring: the ring of this CPU
 * @resv: reservation of the event
 *
 * If all earlier events were published at the reservation, and the event interrupted no
 * other writer, publish this event alone.  Else, or if nested events came meanwhile,
 * rbmap_ring_publish() publishes all.  The barriers pair with the same ones.
 * litmus: publish-get, publish-open, commit-header, lost-mark, meta-reader,
 *	observe-slot
 *
 * Return: @ring, which the caller need not keep across a call.
 */
static __always_inline struct rbmap_ring *
rbmap_ring_commit(struct rbmap_ring *ring, const struct rbmap_reservation *resv)
{
	const u64 next = resv->next;

	barrier();
	/* model: own_header, own_commit */
	if (unlikely(rb_read_plain(ring->published) != resv->published))
		return rbmap_ring_commit_slow(ring, next);
	/* No other context publishes, or comes here, until nest is 0. */
	rb_count_plain(ring->own_events);
	WRITE_ONCE(ring->published, next);
	smp_store_release(&resv->header->commit, resv->end);
	rb_add_release(&ring->commit, resv->own_words);
	barrier();
	WRITE_ONCE(ring->nest, 0);		/* model: publish_nest */
	barrier();
	/* model: publish_recheck */
	if (unlikely(rb_read_plain(ring->tail) != next)) {
		WRITE_ONCE(ring->nest, 1);	/* model: publish_again */
		barrier();
		return rbmap_ring_publish_slow(ring);
	}
	return ring;
}

/*
 * Discard the event.  The next delta must not count from the time of an event that is
 * not in the ring, so the stamps are cleared, before the tail is moved back.  A nested
 * event between the two finds before != after.  Its own stamps are valid if the tail
 * cannot be moved back.
 */
static inline void rbmap_ring_discard(struct rbmap_ring *ring,
				      const struct rbmap_reservation *resv)
{
	rbmap_ring_forget_stamps(ring);
	/* model: discard_cmpxchg */
	if (rb_local_cmpxchg(&ring->tail, resv->next,
			     resv->next - resv->words) != resv->next)
		rbmap_event_skip(resv->event + (resv->stamp_len >> 2),
				 (u32)(resv->words << 2) - resv->stamp_len);
	rbmap_ring_publish(ring);
}

#endif /* RBMAP_RING_RESERVE_H */
