/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_RESERVATION_H
#define RBMAP_RESERVATION_H

#include <linux/types.h>

struct rbmap_ring;

/*
 * Behind a variable on the stack of a path that is hot: kernels that clear all
 * of them beforehand leave it alone.
 */
#if __has_attribute(uninitialized)
#define rbmap_uninitialized	__attribute__((uninitialized))
#else
#define rbmap_uninitialized
#endif

/**
 * struct rbmap_reservation - room for one event, between reserve and commit
 *
 * Lives on the stack of whoever reserves; its members are the ring's.  It may be
 * rbmap_uninitialized.
 *
 * @ring: where it is
 * @event: its first byte, that of a stamp before it included
 * @tail: where the tail was
 * @len: bytes in all
 * @stamp_len: of them before the event's own header
 */
struct rbmap_reservation {
	struct rbmap_ring	*ring;
	u32			*event;
	u64			tail;
	u32			len;
	u32			stamp_len;
};

#endif /* RBMAP_RESERVATION_H */
