/* SPDX-License-Identifier: GPL-2.0-only */
/* Go through the unread events of a CPU one by one, consuming them or not. */
#ifndef RBMAP_BUFFER_WALK_H
#define RBMAP_BUFFER_WALK_H

#include "generation.h"

/**
 * struct rbmap_place - a place between two records of a CPU
 * @number: generation of the ring; 0: none yet
 * @seq: number of the sub-buffer
 * @offset: bytes in it before the place
 * @time: time at the place, to which the next record adds its delta
 * @event: number of events of the ring before the place
 * @drops: drops of the ring before the sub-buffer
 */
struct rbmap_place {
	u32	number;
	u64	seq;
	u32	offset;
	u64	time;
	u64	event;
	u64	drops;
};

/**
 * struct rbmap_item - an event, or a loss without an event behind it
 * @time: its time
 * @lost: number of events that were lost before it
 * @at: offset of the payload in the sub-buffer
 * @size: bytes of the payload; 0: there is no event
 * @place: where it begins
 * @end: offset behind it
 */
struct rbmap_item {
	u64			time;
	u64			lost;
	u32			at;
	u32			size;
	struct rbmap_place	place;
	u32			end;
};

/**
 * struct rbmap_walk - a walk through the events of a CPU
 * @cpu_buf: the CPU's part
 * @passive: whether the walk leaves the events in the ring
 * @number: generation of the ring in which a passive walk goes on, or the least one
 * @place: where the walk is
 * @last: where a passive walk ends
 * @item: the next item, which rbmap_walk_look() has found
 */
struct rbmap_walk {
	struct rbmap_cpu_buffer	*cpu_buf;
	bool			passive;
	u32			number;
	struct rbmap_place	place;
	struct rbmap_place	last;
	struct rbmap_item	item;
};

void rbmap_walk_begin(struct rbmap_walk *walk, struct rbmap_cpu_buffer *cpu_buf);
struct rbmap_gen *rbmap_walk_ring(struct rbmap_walk *walk);
bool rbmap_walk_look(struct rbmap_walk *walk, struct rbmap_gen *gen);
int rbmap_walk_take(struct rbmap_walk *walk, struct rbmap_gen *gen, void *to, u32 room);

#endif /* RBMAP_BUFFER_WALK_H */
