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
#include <rbmap/write.h>	/* rbmap_reserve(), rbmap_commit(), rbmap_write() */

struct rbmap_buffer;

/**
 * rbmap_discard - take back an event that rbmap_reserve() made room for
 * @r: what rbmap_reserve() filled
 *
 * No reader sees it and no counter counts it.  Its bytes are given back if it
 * is still the last event of the ring, else they become padding.
 *
 * Context: that of rbmap_reserve().
 */
void rbmap_discard(struct rbmap_reservation *r);

/*
 * The same as rbmap_reserve(), rbmap_commit() and rbmap_write(), as calls: some
 * hundreds of bytes less wherever they are used, and a dozen instructions more
 * an event.
 */
void *rbmap_reserve_noinline(struct rbmap_buffer *buf,
			     struct rbmap_reservation *r, size_t size);
void rbmap_commit_noinline(struct rbmap_reservation *r);
int rbmap_write_noinline(struct rbmap_buffer *buf, const void *data,
			 size_t size);

/** rbmap_buffer_max_event - bytes of the largest payload that @buf takes */
size_t rbmap_buffer_max_event(const struct rbmap_buffer *buf);

/**
 * rbmap_default_buffer - what /dev/rbmap/cpuN shows
 *
 * It is there as long as the module is.
 */
struct rbmap_buffer *rbmap_default_buffer(void);

#endif /* RBMAP_BUFFER_H */
