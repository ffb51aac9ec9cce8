/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring of module/ring with a meta-page, as librbmap maps it.  This process is the
 * writer.
 */
#ifndef LIVE_RING_H
#define LIVE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/rbmap.h>

/**
 * struct live_ring - a ring in this process
 * @meta: its meta-page
 * @data: sub-buffer 0; the others follow it
 * @slot_table: its slot table
 * @ring: the ring itself
 */
struct live_ring {
	struct rbmap_meta	*meta;
	unsigned char		*data;
	struct rbmap_slot_table	*slot_table;
	void			*ring;
};

/* Size and contents of the event with that number, after struct rbmap_event_common. */
#define LIVE_MAX	160
size_t live_size(uint64_t number);
void live_fill(unsigned char *data, uint64_t number);

/* seq begins before_wrap sub-buffers before it wraps; if that is 0, at 0. */
struct live_ring *live_new(unsigned int slots, size_t subbuf_size, bool discard,
			   uint64_t before_wrap, uint32_t generation);
void live_free(struct live_ring *live);

/* Write an event; its time is its number.  Return: false if it was dropped. */
bool live_emit(struct live_ring *live, uint64_t number);
bool live_emit_at(struct live_ring *live, uint64_t number, uint64_t time);

/* The reader gets a sub-buffer.  Return: number of its events, or 0. */
uint64_t live_read(struct live_ring *live);
/* Close the open sub-buffer. */
void live_close(struct live_ring *live);

#endif /* LIVE_RING_H */
