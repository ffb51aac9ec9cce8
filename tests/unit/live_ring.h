/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring of module/ring, written by this process, behind a meta-page: what
 * librbmap would map.
 */
#ifndef LIVE_RING_H
#define LIVE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/rbmap.h>

/**
 * struct live_ring - the ring
 * @meta: its meta-page
 * @data: sub-buffer 0; the others behind it
 * @slot_table: mapped by observers
 * @ring: the rest
 */
struct live_ring {
	struct rbmap_meta	*meta;
	unsigned char		*data;
	struct rbmap_slot_table	*slot_table;
	void			*ring;
};

/* What an event with that number holds, behind struct rbmap_event_common. */
#define LIVE_MAX	160
size_t live_size(uint64_t number);
void live_fill(unsigned char *data, uint64_t number);

/* seq begins so many before it wraps; 0: at 0. */
struct live_ring *live_new(unsigned int slots, size_t subbuf_size, bool discard,
			   uint64_t before_wrap, uint32_t generation);
void live_free(struct live_ring *live);

/* The time of an event is its number.  False: it was dropped. */
bool live_emit(struct live_ring *live, uint64_t number);

/* The reader takes a sub-buffer, if there is one; its events. */
uint64_t live_read(struct live_ring *live);
/* Have the writer leave the sub-buffer that it is in. */
void live_close(struct live_ring *live);

#endif /* LIVE_RING_H */
