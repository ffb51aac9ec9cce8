/* SPDX-License-Identifier: LGPL-2.1-only */
/* The state of a merge of rings, which its files share. */
#ifndef RBMAP_MERGE_H
#define RBMAP_MERGE_H

#include <poll.h>

#include "internal.h"

#define SCAN_NS		1000000000ULL	/* period of the scan for new devices */
#define NSEC_PER_MSEC	1000000ULL

struct source {
	struct rbmap_map	*map;		/* NULL: closed */
	int			cpu;
	struct rbmap_event	head;		/* next event, while in the heap */
	uint64_t		seen_turn;	/* turn in which the head was read */
	uint64_t		seen_ns;	/* our time of that */
	/* While empty: */
	uint64_t		empty_turn;	/* turn of the last check */
	uint64_t		empty_now;	/* the ring's time of that; 0: unknown */
	uint64_t		empty_ns;	/* our time of that */
	struct rbmap_loss	loss;		/* losses of a closed ring */
};

/*
 * When a buffer of the caller's own is idle, any event ends a wait, and is held for a short
 * time: writers that are interrupted are rare. When it is busy, events come by the watermark
 * or the timeout, so that an event costs a fraction of a wake-up.
 */
#define PACE_NS		100000000ULL	/* events are counted for so long */
#define PACE_BUSY	64		/* so many events: busy */
#define PACE_IDLE	32		/* fewer: idle */
#define PACE_HOLD_NS	25000ULL	/* at most, while idle */
#define PACE_MS		100		/* a wait lasts at most so long while busy */

struct pace {
	int		fd;		/* buffer_percent; -1: the watermark is not changed */
	bool		busy;
	uint64_t	since_ns;
	unsigned int	events;		/* since then */
};

struct unopened {
	int			cpu;
	int			error;
};

struct rbmap_merge {
	struct source		**source;
	unsigned int		nr;
	struct source		**heap;
	unsigned int		nr_heap;
	struct source		**empty;
	unsigned int		nr_empty;
	struct pollfd		*fds;		/* one more than rings: for wake_fd */
	struct rbmap_map	**maps;		/* maps of fds[] */
	int			wake_fd;	/* rbmap_merge_wake() ends rbmap_merge_wait() */
	uint64_t		(*clock)(void);	/* our clock, in ns */
	struct source		*out;		/* the caller holds its head */
	uint64_t		turn;		/* number of reads and checks of rings */
	uint64_t		hold_ns;
	struct pace		pace;
	unsigned int		rush;		/* events to return without waiting */
	/* The top may go up to this bound.  A change of an empty ring invalidates it. */
	bool			bound_known;
	uint64_t		bound_ts;
	uint64_t		bound_turn;
	/* Rate of a clock that does not count ns, measured between two checks. */
	uint64_t		tick_now;
	uint64_t		tick_ns;
	double			ticks_per_ns;
	bool			observes;
	char			*dir;		/* directory to scan for devices, or NULL */
	bool			opened;		/* devices that are found now come later */
	uint64_t		scanned_ns;
	bool			scan_due;	/* at the next rbmap_merge_next() */
	int			scan_error;	/* the directory could not be read; 0: it was */
	struct unopened		*unopened;	/* rings that the last scan could not open */
	unsigned int		nr_unopened;
};

/* merge.c: a ring was empty when it was checked. */
void rbmap_merge_add_empty(struct rbmap_merge *m, struct source *s);
/* Return @events events without waiting. */
void rbmap_merge_rush(struct rbmap_merge *m, unsigned int events);
/* Return the time in ns until the held event can be returned. */
uint64_t rbmap_merge_held_ns(struct rbmap_merge *m);

/*
 * merge_open.c: open the devices of CPUs that have come online.  The open rings are valid after
 * an error, which rbmap_merge_unopened() returns.  Return whether there is a new one.
 */
bool rbmap_merge_scan_again(struct rbmap_merge *m);
bool rbmap_merge_scan_is_due(const struct rbmap_merge *m);

#endif /* RBMAP_MERGE_H */
