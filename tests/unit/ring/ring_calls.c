// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions that writers call, as in module/buffer/write.c.  Each contains only
 * inline functions of the ring.
 */
#include "ring_fixture.h"

static noinline void *reserve_slow(struct rbmap_ring *ring, u32 size,
				   struct rbmap_reservation *room, enum rbmap_drop *drop)
{
	void *payload;

	if (rbmap_ring_too_deep(ring)) {
		*drop = RBMAP_DROP_NESTED;
	} else if (unlikely(size > rbmap_ring_max_event(ring))) {
		*drop = RBMAP_DROP_TOO_LARGE;
	} else {
		payload = rbmap_ring_reserve(ring, size, room, drop);
		if (likely(payload))
			return payload;
	}
	rbmap_ring_drop(ring, *drop);
	return NULL;
}

void *ring_call_reserve(struct rbmap_ring *ring, u32 size,
			struct rbmap_reservation *room, enum rbmap_drop *drop)
{
	void *payload = rbmap_ring_reserve_fast(ring, rbmap_event_len(size), 0, false, room);

	return likely(payload) ? payload : reserve_slow(ring, size, room, drop);
}

/* As module/event/copies.c does: the clock is read once for several rings. */
void *ring_call_reserve_known(struct rbmap_ring *ring, u32 size,
			      struct rbmap_reservation *room, enum rbmap_drop *drop)
{
	u64 now = rb_clock_local();
	void *payload;

	/* No clock returns 0. */
	if (!now)
		__builtin_unreachable();
	payload = rbmap_ring_reserve_fast(ring, rbmap_event_len(size), now, false, room);
	return likely(payload) ? payload : reserve_slow(ring, size, room, drop);
}

void ring_call_commit(struct rbmap_ring *ring,
		      const struct rbmap_reservation *room)
{
	rbmap_ring_commit(ring, room);
}

void ring_call_discard(struct rbmap_ring *ring,
		       const struct rbmap_reservation *room)
{
	rbmap_ring_discard(ring, room);
}
