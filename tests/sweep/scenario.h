/* SPDX-License-Identifier: GPL-2.0-only */
/* A scenario: a ring, an act in it, the acts that interrupt it, and the checks. */
#ifndef SWEEP_SCENARIO_H
#define SWEEP_SCENARIO_H

#include "acts.h"

/**
 * struct scenario - the running scenario
 * @mode: mode of the ring
 * @slots: number of slots of the ring
 * @room: bytes of events in a sub-buffer
 * @clock: clock of the ring
 * @place: state of the ring at the beginning
 * @outer: act that is interrupted
 * @turn: chooses the acts to try where not all of them are tried
 */
extern struct scenario {
	enum rbmap_mode		mode;
	u32			slots;
	u32			room;
	const struct clock	*clock;
	const struct place	*place;
	const struct act	*outer;
	u32			turn;
} scenario;

/* Try all acts everywhere, none in turn; or few pairs of acts. */
extern bool scenario_everything;
extern bool scenario_short;

/*
 * one_act: each act at each boundary. two_acts: some acts at each boundary, and a
 * second act at each boundary of the first act or of the code after it. three_acts:
 * small writes only, and a third one at each boundary of the second.
 */
void scenario_one_act(void);
void scenario_two_acts(void);
void scenario_three_acts(enum steps first);

void scenario_run(struct counts *counts);
const char *scenario_name(void);

#endif /* SWEEP_SCENARIO_H */
