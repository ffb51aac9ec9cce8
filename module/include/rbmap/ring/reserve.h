/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The writer's fast path: reserve, commit, discard.  The caller has pinned the
 * CPU.  Between any two instructions a nested context may run all of this and
 * finish: what it changes is restored (nest) or noticed (tail, before, after).
 */
#ifndef RBMAP_RING_RESERVE_H
#define RBMAP_RING_RESERVE_H

#include <rbmap/ring/ring.h>

static __always_inline u32 rbmap_ring_max_event(const struct rbmap_ring *ring)
{
	return rbmap_max_event(ring->capacity);
}

/**
 * rbmap_ring_enter - begin an event
 * @ring: of this CPU
 *
 * A nested context that runs between the load and the store leaves nest as it
 * found it, so a plain increment will do.
 */
static __always_inline void rbmap_ring_enter(struct rbmap_ring *ring)
{
	WRITE_ONCE(ring->nest, READ_ONCE(ring->nest) + 1);	/* model: enter */
	barrier();
}

/**
 * rbmap_ring_too_deep - are more contexts nested in a ring than may be?
 * @ring: entered: the last of them is the caller, whose event is dropped
 */
static __always_inline bool rbmap_ring_too_deep(const struct rbmap_ring *ring)
{
	return unlikely(READ_ONCE(ring->nest) > RBMAP_MAX_NEST);
}

/**
 * rbmap_ring_publish - end an event
 * @ring: of this CPU
 *
 * The outermost context publishes for all that nested in it: header.commit of
 * the sub-buffers that were closed meanwhile, then of the open one, then, with
 * release, commit.  Pairs with the acquire in rbmap_ring_get(): who sees
 * commit sees every byte and every count that it covers.  header.commit is a
 * release of its own: readers go by it alone while they hold the sub-buffer.
 * litmus: publish-take, publish-open, commit-header, lost-mark, meta-reader,
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

		/* model: publish_header, publish_commit */
		smp_store_release(&ring->subbuf[rbmap_tail_id(tail)].header->commit,
				  offset);
		smp_store_release(&ring->commit, rbmap_commit_word(seq, offset));
		WRITE_ONCE(ring->published, tail);

		/*
		 * From here on a context that interrupts us publishes itself.
		 * One that came since we looked at the tail did not: look again.
		 */
		barrier();
		WRITE_ONCE(ring->nest, 0);	/* model: publish_nest */
		barrier();
		if (likely(READ_ONCE(ring->tail) == tail))
			break;			/* model: publish_recheck */
		WRITE_ONCE(ring->nest, 1);	/* model: publish_again */
		barrier();
	}
	if (unlikely(closed))
		ring->ops->closed(ring);
}

/* Count a drop and leave: nested contexts may have left work to publish. */
static inline void rbmap_ring_drop(struct rbmap_ring *ring, enum rbmap_drop why)
{
	local_inc(&ring->dropped[why]);
	rbmap_ring_publish(ring);
}

/**
 * rbmap_ring_reserve - make room for an event
 * @ring: the ring, entered
 * @size: bytes of payload
 * @resv: filled
 * @drop: filled with the cause where there is no room
 *
 * An event whose own delta is 0 takes a multiple of 8 bytes: so it can become
 * time extends by nothing when it is discarded.
 *
 * before == after: `after` is the time of the event that lies right before the
 * tail, and a delta from it is right.  It holds if the last attempt that
 * stamped also won its room and stamped again.  Who was interrupted meanwhile
 * finds another stamp in `before` than its own, and takes `after` back; who
 * did not win takes both back.  That matters where the clock is coarse: stamps
 * of an attempt and of an event long before the tail can then be the same.  Where
 * nobody was interrupted it does not: see rbmap_ring_reserve_fast().
 *
 * Return: the payload, or NULL.
 */
static inline void *rbmap_ring_reserve(struct rbmap_ring *ring, u32 size,
				       struct rbmap_reservation *resv,
				       enum rbmap_drop *drop)
{
	const u32 event_len = rbmap_event_len(size);
	struct rbmap_subbuf_header *header;
	struct rbmap_ring_subbuf *subbuf;
	u64 tail, before, after, ts, delta;
	u32 offset, len, type, own_len;
	u32 *event;

	for (;;) {
		tail = READ_ONCE(ring->tail);		/* model: tail_load */
		offset = rbmap_tail_offset(tail);
		/* Whatever stamp it needs: the clock is not asked for that. */
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
		if (unlikely(offset + len > ring->capacity))
			goto next;

		WRITE_ONCE(ring->before, ts);		/* model: before_store */
		barrier();
		/* model: tail_cmpxchg */
		if (likely(rb_local_cmpxchg(&ring->tail, tail,
					    tail + (len >> 2)) == tail))
			break;
		rbmap_ring_forget_stamps(ring);
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

	subbuf = &ring->subbuf[rbmap_tail_id(tail)];
	header = subbuf->header;
	if (unlikely(offset == 0)) {
		/* The one at offset 0 alone writes these. */
		header->time_stamp = ts;
		WRITE_ONCE(ring->epoch, ts >> RBMAP_STAMP_BITS);
	}
	event = (u32 *)(rbmap_subbuf_data(header) + offset);
	resv->ring = ring;
	resv->subbuf = subbuf;
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
 * rbmap_ring_reserve_fast - enter, and make room for an event where nothing is unusual
 * @ring: of this CPU
 * @size: bytes of payload
 * @resv: filled
 *
 * That is: nobody else is in the ring, all is published, the event has a delta, and
 * fits.  The clock is read before the stamps, other than in rbmap_ring_reserve():
 * either way, who comes in between and stays moves the tail.
 *
 * Return: the payload; or NULL: the ring is entered, and that is all.
 */
static __always_inline void *rbmap_ring_reserve_fast(struct rbmap_ring *ring, u32 size,
						     struct rbmap_reservation *resv)
{
	const u32 len = rbmap_event_len(size);
	struct rbmap_ring_subbuf *subbuf;
	u64 tail, before, ts, delta;
	struct rbmap_subbuf_header *header;
	void *payload;
	u32 end;
	u64 word;
	u32 *event;

	if (unlikely(rb_read_plain(ring->nest))) {
		barrier();
		rbmap_ring_enter(ring);
		return NULL;
	}
	WRITE_ONCE(ring->nest, 1);	/* model: enter */
	barrier();
	tail = READ_ONCE(ring->tail);		/* model: tail_load */
	word = rbmap_tail_word(tail);
	if (unlikely(!word))
		return NULL;
	end = (u32)word + (len >> 2);
	barrier();
	/*
	 * Looked at here, as what is rare is a call where there is a call anyway.
	 * Who finds the ring on has entered it: it stays so.
	 * model: look_off
	 */
	if (likely(end <= rb_read_plain(ring->try_words))) {
		ts = rb_clock_local();		/* model: clock_first */
	} else {
		ts = rbmap_ring_other_clock(ring, end);
		if (!ts)
			return NULL;
	}
	barrier();
	/* Behind the clock, for nobody to keep it while that is called. */
	before = READ_ONCE(ring->before);	/* model: before_load */
	/* model: after_load */
	if (unlikely(before != rb_read_plain(ring->after)))
		return NULL;
	barrier();
	delta = ts - before;
	if (unlikely(delta - 1 >= RBMAP_DELTA_MAX))
		return NULL;

	/*
	 * No stamp is taken back here.  What a context that came in between leaves
	 * differs from ours, and the next event finds that; or it is the same, and
	 * then it is the time of the event before the tail.  Below us there is
	 * nobody who could take ours for its own.
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

	subbuf = &ring->subbuf[rbmap_tail_id(tail)];
	header = subbuf->header;
	event = (u32 *)rbmap_subbuf_data(header) + word;
	resv->ring = ring;
	resv->subbuf = subbuf;
	resv->header = header;
	resv->end = (word + (len >> 2)) << 2;
	resv->event = event;
	resv->next = tail + (len >> 2);
	resv->published = tail;
	resv->words = len >> 2;
	resv->own_words = len >> 2;
	resv->stamp_len = 0;
	payload = rbmap_event_encode(event, len, delta);
	/* It is none: the caller's look costs nothing. */
	if (!payload)
		__builtin_unreachable();
	return payload;
}

/**
 * rbmap_ring_commit - publish an event
 * @ring: of this CPU
 * @resv: of the event
 *
 * Where all before it was published when the event came, and no context had
 * been interrupted for it, it is this event alone; else, or if others came
 * meanwhile, rbmap_ring_publish() does.  Its barriers pair with the same ones.
 * litmus: publish-take, publish-open, commit-header, lost-mark, meta-reader,
 *	observe-slot
 */
static __always_inline void rbmap_ring_commit(struct rbmap_ring *ring,
					      const struct rbmap_reservation *resv)
{
	const u64 next = resv->next;

	local_inc(&resv->subbuf->events);
	barrier();
	/* model: own_header, own_commit */
	if (unlikely(rb_read_plain(ring->published) != resv->published)) {
		rbmap_ring_publish_slow(ring);
		return;
	}
	/* Nobody else does until nest is 0: what comes now is published later. */
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
		rbmap_ring_publish_slow(ring);
	}
}

/*
 * Take the event back.  The next delta must not count from a time that is not
 * in the ring.  The stamps go before the tail does: a nested event between the
 * two finds them different, and its own stay if it finds the tail still here.
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
