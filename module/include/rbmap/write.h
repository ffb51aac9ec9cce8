/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The writer's fast path, inline in its callers.  The rare cases are calls.
 *
 * These functions cannot be traced.  A caller that runs inside a function tracer must
 * mark its own functions notrace, as usual.
 */
#ifndef RBMAP_WRITE_H
#define RBMAP_WRITE_H

#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/types.h>
#include <rbmap/ring/reserve.h>

struct rbmap_buffer;

/**
 * struct rbmap_buffer_head - the beginning of a buffer
 * @ring: the ring of each CPU; a ring that is off if the CPU has no ring yet
 */
struct rbmap_buffer_head {
	struct rbmap_ring * __percpu *ring;
};

/* The slow paths, in buffer/write.c and buffer/wait.c. */
const struct rbmap_slow_resv *rbmap_reserve_slow(struct rbmap_ring *ring,
						 size_t size);
void rbmap_notify_ring(struct rbmap_ring *ring);

static __always_inline struct rbmap_ring * __percpu *
rbmap_buffer_rings(const struct rbmap_buffer *buf)
{
	return ((const struct rbmap_buffer_head *)buf)->ring;
}

/* The ring of this CPU; a ring that is off if the CPU has no ring yet. */
static __always_inline struct rbmap_ring *
rbmap_this_ring(const struct rbmap_buffer *buf)
{
	return raw_cpu_read(*rbmap_buffer_rings(buf));
}

/*
 * Each sub-buffer has at least 4 KiB: for a smaller constant size the compiler drops
 * the test.
 */
static __always_inline bool rbmap_size_fits(const struct rbmap_ring *ring,
					    size_t size)
{
	if (__builtin_constant_p(size) &&
	    size <= rbmap_max_event(4096 - RBMAP_SUBBUF_HEADER_SIZE))
		return true;
	return size <= rbmap_ring_max_event(ring);
}

/* After publishing an event, the writer wakes readers that wait for any event. */
static __always_inline void rbmap_notify_event(struct rbmap_ring *ring)
{
	barrier();
	if (unlikely(rb_read_plain(ring->notify_event)))
		rbmap_notify_ring(ring);
}

/*
 * rbmap_reserve() for a caller that has loaded rbmap_buffer_rings() already.  With thunks
 * the caller has more registers for itself, and a clock that is called costs more.
 */
static __always_inline void *rbmap_reserve_by(struct rbmap_ring * __percpu *rings,
					      struct rbmap_reservation *resv,
					      size_t size, const bool thunks)
{
	const struct rbmap_slow_resv *slow;
	struct rbmap_ring *ring;
	void *payload;

	preempt_disable_notrace();
	ring = raw_cpu_read(*rings);
	if (likely(rbmap_size_fits(ring, size))) {
		payload = rbmap_ring_reserve_fast(ring, rbmap_event_len(size), 0,
						  thunks, resv);
		if (likely(payload))
			return payload;
	} else {
		rbmap_ring_enter(ring);
	}
	slow = thunks ? rb_early_call2(rbmap_reserve_slow, ring, size) :
			rbmap_reserve_slow(ring, size);
	if (!slow)
		return NULL;
	*resv = slow->resv;
	/* Unused here.  The compiler finds the same value on both paths. */
	resv->own_words = rbmap_event_len(size) >> 2;
	return slow->payload;
}

/* For probes, and other functions that do little else */
static __always_inline void *rbmap_reserve_in(struct rbmap_ring * __percpu *rings,
					      struct rbmap_reservation *resv,
					      size_t size)
{
	return rbmap_reserve_by(rings, resv, size, true);
}

/**
 * rbmap_reserve - reserve an event in the ring of this CPU
 * @buf: the buffer
 * @resv: filled for rbmap_commit() or rbmap_discard()
 * @size: bytes of payload, 0 to rbmap_buffer_max_event(); a reader gets a multiple of
 *	4 bytes, and 12 for 8
 *
 * If the return value is not NULL, exactly one rbmap_commit() or rbmap_discard() must
 * follow, in the same context.  Preemption is off until then: do not sleep.
 *
 * Context: any, including NMI.
 * Return: the payload, aligned to 4 bytes and not zeroed; NULL: the event is dropped
 * and counted by its cause.
 */
static __always_inline void *rbmap_reserve(struct rbmap_buffer *buf,
					   struct rbmap_reservation *resv,
					   size_t size)
{
	return rbmap_reserve_by(rbmap_buffer_rings(buf), resv, size, false);
}

/**
 * rbmap_commit - publish a reserved event
 * @resv: reservation that rbmap_reserve() filled
 *
 * Context: the context of rbmap_reserve().
 */
static __always_inline void rbmap_commit(struct rbmap_reservation *resv)
{
	struct rbmap_ring *ring = rbmap_ring_commit(resv->ring, resv);

	rbmap_notify_event(ring);
	preempt_enable_notrace();
}

/**
 * rbmap_write - reserve, copy and commit
 * @buf: the buffer
 * @data: payload, in kernel memory
 * @size: bytes of the payload, 0 to rbmap_buffer_max_event()
 *
 * Context: any, including NMI.
 * Return: 0; -EAGAIN: the event was dropped, as rbmap_reserve() says.
 */
static __always_inline int rbmap_write(struct rbmap_buffer *buf,
				       const void *data, size_t size)
{
	struct rbmap_reservation resv rbmap_uninitialized;
	void *payload = rbmap_reserve(buf, &resv, size);

	if (!payload)
		return -EAGAIN;
	memcpy(payload, data, size);
	rbmap_commit(&resv);
	return 0;
}

#endif /* RBMAP_WRITE_H */
