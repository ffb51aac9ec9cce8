/* SPDX-License-Identifier: GPL-2.0-only */
/* Acts of the writers and the reader, states of the ring, and clocks. */
#ifndef SWEEP_ACTS_H
#define SWEEP_ACTS_H

#include "machine.h"

#define NR_OUTERS	8
#define NR_INNERS	7
#define NR_PLACES	11
#define NR_CLOCKS	4

/* Interrupted acts, and acts that interrupt them; inners[0] runs most often. */
extern const struct act *const outers[NR_OUTERS];
extern const struct act *const inners[NR_INNERS];

/**
 * struct place - a state of the ring
 * @name: name in the results
 * @prepare: brings a new ring into this state
 */
extern const struct place {
	const char	*name;
	void		(*prepare)(void);
} places[NR_PLACES];

/* Commit the events that a place has left open. */
void place_leave(void);

/**
 * struct clock - a clock of the ring
 * @name: name in the results
 * @read: returns the time
 * @steps_back: the time may step back
 * @id: the RBMAP_CLOCK_* that the ring is configured with
 */
extern const struct clock {
	const char	*name;
	u64		(*read)(void);
	bool		steps_back;
	u32		id;
} clocks[NR_CLOCKS];

/**
 * struct acts_state - variables of acts, places and clocks
 * @now: current time
 * @ticks: bits that determine the next steps of the clock
 * @reading: a reader runs; another one must not interrupt it
 * @open: events that a place has left open
 * @nr_open: number of events in @open
 */
extern struct acts_state {
	u64			now;
	u32			ticks;
	bool			reading;
	struct rig_event	open[4];
	u32			nr_open;
} acts_state;

#endif /* SWEEP_ACTS_H */
