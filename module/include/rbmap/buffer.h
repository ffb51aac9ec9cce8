/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write events into an rbmap buffer: one lockless ring per CPU.
 *
 *	struct rbmap_reservation r;
 *	struct record *rec = rbmap_reserve(buf, &r, sizeof(*rec));
 *
 *	if (rec) {
 *		rec->field = value;
 *		rbmap_commit(&r);
 *	}
 */
#ifndef RBMAP_BUFFER_H
#define RBMAP_BUFFER_H

#include <linux/types.h>
#include <rbmap/reservation.h>

struct rbmap_buffer;

/**
 * rbmap_reserve - make room for an event on this CPU
 * @buf: the buffer
 * @r: filled for rbmap_commit() or rbmap_discard()
 * @size: bytes of payload, 0 to rbmap_buffer_max_event()
 *
 * Context: any, NMI included.  Preemption is off until rbmap_commit() or
 * rbmap_discard(), of which exactly one must follow, in the same context;
 * don't sleep between.
 * Return: the payload, aligned to 4 bytes and not zeroed, or NULL: the event
 * is counted with the cause, and neither commit nor discard may follow.
 */
void *rbmap_reserve(struct rbmap_buffer *buf, struct rbmap_reservation *r,
		    size_t size);

/** rbmap_commit - publish an event that rbmap_reserve() made room for */
void rbmap_commit(struct rbmap_reservation *r);

/**
 * rbmap_discard - take back an event that rbmap_reserve() made room for
 *
 * No reader sees it and no counter counts it.  Its bytes are given back if it
 * is still the last event of the ring, else they become padding.
 */
void rbmap_discard(struct rbmap_reservation *r);

/**
 * rbmap_write - reserve, copy and commit
 * @buf: the buffer
 * @data: payload; kernel memory
 * @size: its bytes
 *
 * Context: any.
 * Return: 0; -EAGAIN where rbmap_reserve() would give NULL.
 */
int rbmap_write(struct rbmap_buffer *buf, const void *data, size_t size);

/** rbmap_buffer_max_event - bytes of the largest payload that @buf takes */
size_t rbmap_buffer_max_event(const struct rbmap_buffer *buf);

/**
 * rbmap_default_buffer - what /dev/rbmap/cpuN shows
 *
 * It is there as long as the module is.
 */
struct rbmap_buffer *rbmap_default_buffer(void);

#endif /* RBMAP_BUFFER_H */
