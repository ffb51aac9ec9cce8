/* SPDX-License-Identifier: GPL-2.0-only */
/* What writers and a reader do, where the ring stands then, and its clocks. */
#ifndef SWEEP_ACTS_H
#define SWEEP_ACTS_H

#include "machine.h"

#define NR_OUTERS	7
#define NR_INNERS	7
#define NR_PLACES	11
#define NR_CLOCKS	4

/* What is interrupted; by what: first what is worth two of the others. */
extern const struct act *const outers[NR_OUTERS];
extern const struct act *const inners[NR_INNERS];

/**
 * struct place - where a ring can stand
 * @name: for who reads the results
 * @prepare: brings a new one there
 */
extern const struct place {
	const char	*name;
	void		(*prepare)(void);
} places[NR_PLACES];

/* Ends what a place has left open. */
void place_leave(void);

/**
 * struct clock - what the ring reads
 * @name: for who reads the results
 * @read: the time
 * @steps_back: it does
 * @id: which of its clocks the ring takes it for
 */
extern const struct clock {
	const char	*name;
	u64		(*read)(void);
	bool		steps_back;
	u32		id;
} clocks[NR_CLOCKS];

/**
 * struct acts_state - what acts, places and clocks remember
 * @now: the time
 * @ticks: what the clock does next, bit by bit
 * @reading: readers take turns
 * @open: what a place has left open
 * @nr_open: how many of them
 */
extern struct acts_state {
	u64			now;
	u32			ticks;
	bool			reading;
	struct rig_event	open[4];
	u32			nr_open;
} acts_state;

#endif /* SWEEP_ACTS_H */
