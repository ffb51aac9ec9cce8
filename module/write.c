// SPDX-License-Identifier: GPL-2.0-only
/* Write an event into this CPU's ring: what is rare, and all of it as calls. */
#include <linux/export.h>

#include "cpu_buffer.h"

/**
 * rbmap_reserve_slow - why rbmap_reserve() has found no room, and what then
 * @buf: the buffer
 * @ring: this CPU's when it was looked up; entered, with preemption off
 * @size: as for rbmap_reserve()
 * @drop: the ring's own cause; RBMAP_DROP_NONE: it was not asked
 *
 * Return: the ring to try next, not entered; or NULL: the event is counted, and
 * preemption on again.
 */
struct rbmap_ring *rbmap_reserve_slow(const struct rbmap_buffer *buf,
				      struct rbmap_ring *ring, size_t size,
				      enum rbmap_drop drop)
{
	bool off = false;

	if (drop == RBMAP_DROP_NONE) {
		off = READ_ONCE(ring->off);
		if (READ_ONCE(ring->nest) > RBMAP_MAX_NEST)
			drop = RBMAP_DROP_NESTED;
		else if (size > rbmap_ring_max_event(ring))
			drop = RBMAP_DROP_TOO_LARGE;
	}
	if (!off && drop != RBMAP_DROP_NONE)
		rbmap_ring_drop(ring, drop);
	else
		rbmap_ring_leave(ring);
	/* It may have published the events of others. */
	rbmap_notify_event(ring);
	if (off && ring == rbmap_this_ring(buf))
		local_inc(&ring->disabled);
	else if (off || drop == RBMAP_DROP_NONE)
		/* Replaced after it was looked up, or it was off and is on. */
		return rbmap_this_ring(buf);
	preempt_enable_notrace();
	return NULL;
}
EXPORT_SYMBOL_GPL(rbmap_reserve_slow);

void rbmap_discard(struct rbmap_reservation *r)
{
	rbmap_ring_discard(r->ring, r);
	/* It may have published the events of others. */
	rbmap_notify_event(r->ring);
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(rbmap_discard);

void *rbmap_reserve_noinline(struct rbmap_buffer *buf,
			     struct rbmap_reservation *r, size_t size)
{
	return rbmap_reserve(buf, r, size);
}
EXPORT_SYMBOL_GPL(rbmap_reserve_noinline);

void rbmap_commit_noinline(struct rbmap_reservation *r)
{
	rbmap_commit(r);
}
EXPORT_SYMBOL_GPL(rbmap_commit_noinline);

int rbmap_write_noinline(struct rbmap_buffer *buf, const void *data,
			 size_t size)
{
	return rbmap_write(buf, data, size);
}
EXPORT_SYMBOL_GPL(rbmap_write_noinline);
