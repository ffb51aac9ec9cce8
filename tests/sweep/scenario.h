/* SPDX-License-Identifier: GPL-2.0-only */
/* A ring, what is interrupted in it and by what, and what must hold then. */
#ifndef SWEEP_SCENARIO_H
#define SWEEP_SCENARIO_H

#include "acts.h"

/**
 * struct scenario - the one that is run
 * @room: bytes of events in a sub-buffer
 * @turn: decides where not all is tried
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

/* Nothing takes turns. */
extern bool scenario_everything;

/*
 * Every act at each boundary; or some, and a second one at each of theirs or
 * at each that follows; or small writes, and a third one at each of the second.
 */
void scenario_one_act(void);
void scenario_two_acts(void);
void scenario_three_acts(enum steps first);

void scenario_run(struct counts *counts);
const char *scenario_name(void);

#endif /* SWEEP_SCENARIO_H */
