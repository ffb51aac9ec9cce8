/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_RESERVATION_H
#define RBMAP_RESERVATION_H

#include <linux/types.h>

struct rbmap_ring;
struct rbmap_subbuf_header;

/*
 * Attribute of a local variable on a hot path: a kernel that initialises all local
 * variables (CONFIG_INIT_STACK_ALL_ZERO) does not clear this one.
 */
#if __has_attribute(uninitialized)
#define rbmap_uninitialized	__attribute__((uninitialized))
#else
#define rbmap_uninitialized
#endif

/* Not a valid tail: its offset is beyond the end of any sub-buffer. */
#define RBMAP_UNPUBLISHED	(~0ULL)

/**
 * struct rbmap_reservation - a reserved event, between reserve and commit
 *
 * The variable is on the caller's stack and may be rbmap_uninitialized.  Only the ring
 * uses the members.
 *
 * @ring: ring of the event
 * @header: memory of the sub-buffer
 * @event: first byte of the event, or of the stamp before it
 * @next: the tail behind the event; it names the sub-buffer, too
 * @published: the tail before the event, if all events before it were published at the
 *	reservation; else RBMAP_UNPUBLISHED
 * @end: offset of the byte behind the event
 * @words: length of stamp and event, in words of 4 bytes
 * @own_words: words that rbmap_commit() publishes, if @published is a tail.  It equals
 *	@words then: the compiler knows it, and needs no register for @words
 * @stamp_len: bytes of the stamp before the event's own header
 */
struct rbmap_reservation {
	struct rbmap_ring	*ring;
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
