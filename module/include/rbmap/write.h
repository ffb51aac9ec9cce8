/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The writer's fast path, inline in whoever writes; what is rare is a call.
 *
 * Nothing of it can be traced or probed by itself.  Whoever writes from within
 * what traces functions marks its own functions notrace, as ever.
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
 * struct rbmap_buffer_head - what a buffer begins with
 * @ring: what each CPU writes to; one that is off where there is no ring yet
 */
struct rbmap_buffer_head {
	struct rbmap_ring * __percpu *ring;
};

/* buffer/write.c, buffer/wait.c: the slow halves */
const struct rbmap_slow_resv *rbmap_reserve_slow(struct rbmap_ring *ring,
						 size_t size);
void rbmap_notify_ring(struct rbmap_ring *ring);

/* This CPU's.  One that has none finds one that is off. */
static __always_inline struct rbmap_ring *
rbmap_this_ring(const struct rbmap_buffer *buf)
{
	return raw_cpu_read(*((const struct rbmap_buffer_head *)buf)->ring);
}

/* No sub-buffer is smaller than a page, so the compiler often knows. */
static __always_inline bool rbmap_size_fits(const struct rbmap_ring *ring,
					    size_t size)
{
	if (__builtin_constant_p(size) &&
	    size <= rbmap_max_event(4096 - RBMAP_SUBBUF_HEADER_SIZE))
		return true;
	return size <= rbmap_ring_max_event(ring);
}

/* Whoever may have published an event looks afterwards who waits for any. */
static __always_inline void rbmap_notify_event(struct rbmap_ring *ring)
{
	barrier();
	if (unlikely(rb_read_plain(ring->notify_event)))
		rbmap_notify_ring(ring);
}

/**
 * rbmap_reserve - make room for an event on this CPU
 * @buf: the buffer
 * @resv: filled for rbmap_commit() or rbmap_discard()
 * @size: bytes of payload, 0 to rbmap_buffer_max_event(); readers find it rounded
 *	up to 4, and 8 to 12
 *
 * Context: any, NMI included.  Preemption is off until rbmap_commit() or
 * rbmap_discard(), of which exactly one must follow, in the same context;
 * don't sleep between.
 * Return: the payload, aligned to 4 bytes and not zeroed, or NULL: the event
 * is counted with the cause, and neither commit nor discard may follow.
 */
static __always_inline void *rbmap_reserve(struct rbmap_buffer *buf,
					   struct rbmap_reservation *resv,
					   size_t size)
{
	const struct rbmap_slow_resv *slow;
	struct rbmap_ring *ring;
	void *payload;

	preempt_disable_notrace();
	ring = rbmap_this_ring(buf);
	if (likely(rbmap_size_fits(ring, size))) {
		payload = rbmap_ring_reserve_fast(ring, size, resv);
		if (likely(payload))
			return payload;
	} else {
		rbmap_ring_enter(ring);
	}
	slow = rbmap_reserve_slow(ring, size);
	if (!slow)
		return NULL;
	*resv = slow->resv;
	/* Not looked at; as in the other case, for the compiler to know it. */
	resv->own_words = rbmap_event_len(size) >> 2;
	return slow->payload;
}

/**
 * rbmap_commit - publish an event that rbmap_reserve() made room for
 * @resv: what rbmap_reserve() filled
 *
 * Context: that of rbmap_reserve().
 */
static __always_inline void rbmap_commit(struct rbmap_reservation *resv)
{
	rbmap_ring_commit(resv->ring, resv);
	rbmap_notify_event(resv->ring);
	preempt_enable_notrace();
}

/**
 * rbmap_write - reserve, copy and commit
 * @buf: the buffer
 * @data: payload; kernel memory
 * @size: its bytes, 0 to rbmap_buffer_max_event()
 *
 * Context: any, NMI included.
 * Return: 0; -EAGAIN where rbmap_reserve() would give NULL.
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
