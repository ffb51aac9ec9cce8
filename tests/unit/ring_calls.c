// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions that writers call, as in module/buffer/write.c.  Each contains only
 * inline functions of the ring.
 */
#include "ring_fixture.h"

void *ring_call_reserve(struct rbmap_ring *ring, u32 size,
			struct rbmap_reservation *room, enum rbmap_drop *drop)
{
	void *payload = rbmap_ring_reserve_fast(ring, size, room);

	if (likely(payload))
		return payload;
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
