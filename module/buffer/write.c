// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write an event into this CPU's ring: the slow paths, and all paths as functions.
 */
#include <linux/export.h>

#include "cpu_buffer.h"
#include "write.h"

/* The ring, or the stand-in for a ring, that this CPU writes to now. */
static struct rbmap_ring *rbmap_ring_now(struct rbmap_ring *ring)
{
	return rbmap_this_ring(rbmap_ring_cpu_buffer(ring)->buffer);
}

/*
 * Count an event that cannot be reserved, and leave the ring.  Return whether to try
 * again, in the ring that has replaced this one.
 */
static bool rbmap_drop_event(struct rbmap_ring *ring, enum rbmap_drop drop)
{
	bool again = false;

	if (drop != RBMAP_DROP_NONE) {
		rbmap_ring_drop(ring, drop);
	} else {
		/*
		 * The ring may have been replaced after it was looked up.  While
		 * this writer is in a ring, that ring cannot be replaced.  The same
		 * holds for the stand-in of a CPU without a ring.
		 */
		again = ring != rbmap_ring_now(ring);
		if (!again)
			local_inc(&ring->disabled);
		rbmap_ring_leave(ring);
	}
	/* The ring may have published the events of others. */
	rbmap_notify_event(ring);
	return again;
}

/**
 * rbmap_reserve_slow - the slow path of rbmap_reserve()
 * @ring: this CPU's ring when it was looked up; entered, with preemption off
 * @size: as for rbmap_reserve()
 *
 * Return: the reservation, which is valid as long as the caller is in the ring.
 * NULL if the event was counted as dropped; preemption is then enabled again.
 */
const struct rbmap_slow_resv *rbmap_reserve_slow(struct rbmap_ring *ring,
						 size_t size)
{
	struct rbmap_slow_resv *slow;
	enum rbmap_drop drop;

	for (;;) {
		/*
		 * Test this after entering the ring: from here on the ring cannot be
		 * replaced until this writer has left it.
		 */
		if (READ_ONCE(ring->off)) {
			drop = RBMAP_DROP_NONE;
		} else if (rbmap_ring_too_deep(ring)) {
			drop = RBMAP_DROP_NESTED;
		} else if (size > rbmap_ring_max_event(ring)) {
			drop = RBMAP_DROP_TOO_LARGE;
		} else {
			slow = &ring->slow[READ_ONCE(ring->nest) - 1];
			slow->payload = rbmap_ring_reserve(ring, size,
							   &slow->resv, &drop);
			if (slow->payload)
				return slow;
		}
		if (!rbmap_drop_event(ring, drop))
			break;
		ring = rbmap_ring_now(ring);
		rbmap_ring_enter(ring);
	}
	preempt_enable_notrace();
	return NULL;
}
EXPORT_SYMBOL_GPL(rbmap_reserve_slow);
RB_EARLY_FUNCTION(rbmap_reserve_slow);
RB_EXPORT_THUNK(rbmap_reserve_slow);

/**
 * rbmap_buffer_exclude - leave out an event that a task has caused, and count it
 * @buf: the buffer
 *
 * Context: a task's, and not that of an interrupt in it.
 * Return: false: this CPU does not record now.  The caller goes on with the event, which
 * is then counted as `disabled`, or as lost.
 */
bool rbmap_buffer_exclude(const struct rbmap_buffer *buf)
{
	struct rbmap_ring *ring;
	bool on;

	preempt_disable_notrace();
	ring = rbmap_this_ring(buf);
	on = !READ_ONCE(ring->off);
	if (on)
		local_inc(&rbmap_ring_cpu_buffer(ring)->excluded);
	preempt_enable_notrace();
	return on;
}

void rbmap_discard(struct rbmap_reservation *resv)
{
	rbmap_ring_discard(resv->ring, resv);
	/* The ring may have published the events of others. */
	rbmap_notify_event(resv->ring);
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(rbmap_discard);

void *rbmap_reserve_noinline(struct rbmap_buffer *buf,
			     struct rbmap_reservation *resv, size_t size)
{
	return rbmap_reserve_in(rbmap_buffer_rings(buf), resv, size);
}
EXPORT_SYMBOL_GPL(rbmap_reserve_noinline);

void rbmap_commit_noinline(struct rbmap_reservation *resv)
{
	rbmap_commit(resv);
}
EXPORT_SYMBOL_GPL(rbmap_commit_noinline);

int rbmap_write_noinline(struct rbmap_buffer *buf, const void *data,
			 size_t size)
{
	return rbmap_write(buf, data, size);
}
EXPORT_SYMBOL_GPL(rbmap_write_noinline);
