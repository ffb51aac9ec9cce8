/* SPDX-License-Identifier: GPL-2.0-only */
/* Notice that another process consumes events of the same rings. */
#ifndef RBMAP_LIVE_SHARED_RING_H
#define RBMAP_LIVE_SHARED_RING_H

#include <stdbool.h>

/**
 * struct shared_ring - what has been noticed so far
 * @next: CPU to look at next
 * @reported: the user has been told of the other readers
 */
struct shared_ring {
	unsigned int next;
	bool reported;
};

/* Return whether a process consumes events of the buffer now. */
bool shared_ring_has_reader(void);

/*
 * Look at one CPU, another one each time. If another process consumes its events, too,
 * tell the user, once.
 */
void shared_ring_look(struct shared_ring *shared);

#endif /* RBMAP_LIVE_SHARED_RING_H */
