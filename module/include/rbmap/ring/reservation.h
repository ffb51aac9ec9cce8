/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_RESERVATION_H
#define RBMAP_RESERVATION_H

#include <linux/types.h>

struct rbmap_ring;
struct rbmap_ring_subbuf;
struct rbmap_subbuf_header;

/*
 * Behind a variable on the stack of a path that is hot: kernels that clear all
 * of them beforehand leave it alone.
 */
#if __has_attribute(uninitialized)
#define rbmap_uninitialized	__attribute__((uninitialized))
#else
#define rbmap_uninitialized
#endif

/* No tail is that: the offset would be one past the end of any sub-buffer. */
#define RBMAP_UNPUBLISHED	(~0ULL)

/**
 * struct rbmap_reservation - room for one event, between reserve and commit
 *
 * Lives on the stack of whoever reserves; its members are the ring's.  It may be
 * rbmap_uninitialized.
 *
 * @ring: where it is
 * @subbuf: and in which sub-buffer
 * @header: that one's memory
 * @event: its first byte, that of a stamp before it included
 * @next: where the tail is behind it
 * @published: where the tail was, if all before it was published then; else
 *	RBMAP_UNPUBLISHED
 * @end: offset of the byte behind it
 * @words: of 4 bytes, in all
 * @own_words: of them those that rbmap_commit() publishes where @published is a
 *	tail: as many as @words then, which the compiler need not keep
 * @stamp_len: bytes before the event's own header
 */
struct rbmap_reservation {
	struct rbmap_ring	*ring;
	struct rbmap_ring_subbuf	*subbuf;
	struct rbmap_subbuf_header *header;
	u32			*event;
	u64			next;
	u64			published;
	unsigned long		end;
	unsigned long		words;
	unsigned long		own_words;
	u32			stamp_len;
};

#endif /* RBMAP_RESERVATION_H */
