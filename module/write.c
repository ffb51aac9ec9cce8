// SPDX-License-Identifier: GPL-2.0-only
/* Write an event into this CPU's ring. */
#include <linux/export.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "cpu_buffer.h"
#include "ring/reserve.h"

void *rbmap_reserve(struct rbmap_buffer *buf, struct rbmap_reservation *r,
		    size_t size)
{
	struct rbmap_ring *ring;
	enum rbmap_drop drop;
	void *payload;
	bool entered;

	preempt_disable_notrace();
again:
	/* A CPU that runs has its ring: rbmap_cpu_prepare() saw to it. */
	ring = raw_cpu_read(*buf->ring);
	entered = rbmap_ring_enter(ring);
	/*
	 * After we entered: from here on no other ring takes its place before
	 * we have left it.
	 */
	if (unlikely(READ_ONCE(ring->off))) {
		rbmap_ring_leave(ring);
		rbmap_notify_event(ring);
		/* Replaced after we looked it up? */
		if (ring != raw_cpu_read(*buf->ring))
			goto again;
		local_inc(&ring->disabled);
		goto out;
	}
	if (unlikely(!entered)) {
		drop = RBMAP_DROP_NESTED;
	} else if (unlikely(size > rbmap_ring_max_event(ring))) {
		drop = RBMAP_DROP_TOO_LARGE;
	} else {
		payload = rbmap_ring_reserve(ring, size, r, &drop);
		if (likely(payload)) {
			r->ring = ring;
			return payload;
		}
	}
	rbmap_ring_drop(ring, drop);
	/* It may have published the events of others. */
	rbmap_notify_event(ring);
out:
	preempt_enable_notrace();
	return NULL;
}
EXPORT_SYMBOL_GPL(rbmap_reserve);

void rbmap_commit(struct rbmap_reservation *r)
{
	rbmap_ring_commit(r->ring, r);
	rbmap_notify_event(r->ring);
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(rbmap_commit);

void rbmap_discard(struct rbmap_reservation *r)
{
	rbmap_ring_discard(r->ring, r);
	/* It may have published the events of others. */
	rbmap_notify_event(r->ring);
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(rbmap_discard);

int rbmap_write(struct rbmap_buffer *buf, const void *data, size_t size)
{
	struct rbmap_reservation r;
	void *payload = rbmap_reserve(buf, &r, size);

	if (!payload)
		return -EAGAIN;
	memcpy(payload, data, size);
	rbmap_commit(&r);
	return 0;
}
EXPORT_SYMBOL_GPL(rbmap_write);
