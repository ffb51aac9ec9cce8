/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupts at each instruction boundary of the ring, one in the other.
 *
 * The processor steps through the ring's compiled code.  At each boundary all
 * memory and registers are kept; an act runs there as an interrupt handler
 * would; what was interrupted goes on at full speed, the end is checked, and
 * all is put back as it was, for the next act and then the next boundary.
 *
 * The act can itself be stepped through and interrupted so, or else the rest
 * of what it interrupted: instructions that only run after an interrupt are
 * found so.
 */
#ifndef SWEEP_MACHINE_H
#define SWEEP_MACHINE_H

#include "ring_fixture.h"

#define MACHINE_HELD	3	/* boundaries that wait at the same time */

/**
 * struct act - what may come between
 * @name: for who reads the results
 * @run: called like an interrupt handler, on the stack of what it interrupts
 */
struct act {
	const char	*name;
	void		(*run)(void);
};

/* What is stepped through when an act has interrupted another. */
enum steps {
	STEP_NONE,
	STEP_INSIDE,		/* the act itself */
	STEP_AFTER,		/* what it interrupted, from there on */
};

/**
 * struct sweep - an act, and what to do at each boundary of the ring in it
 * @outer: what is interrupted
 * @next: the i-th act for a boundary, NULL after the last
 *	@held: boundaries that wait already, where earlier acts came
 *	@boundary: since the last of them
 * @state: calls its argument with all memory that a run may change; what says
 *	how large something is comes before it
 * @check: called at the end of each run
 */
struct sweep {
	const struct act	*outer;
	const struct act	*(*next)(u32 held, u64 boundary, u32 i,
					 enum steps *steps);
	void			(*state)(void (*each)(void *memory,
						      size_t size));
	void			(*check)(void);
};

/**
 * struct counts - what a sweep did
 * @boundaries: where acts interrupted the outer one
 * @inside: pairs: where others interrupted these
 * @after: pairs: where others interrupted the outer one a second time
 * @thirds: where a third one came
 * @runs: that were checked to the end
 */
struct counts {
	u64	boundaries;
	u64	inside;
	u64	after;
	u64	thirds;
	u64	runs;
};

/* False: there are no single steps here. */
bool machine_init(void);
void machine_sweep(const struct sweep *sweep, struct counts *counts);

/* For messages: what interrupted what, and where it waits. */
void machine_print(void (*print_where)(unsigned long address));

/* The ring's code: the section that the Makefile puts it into. */
extern const u8 __start_ring_text[], __stop_ring_text[];

/* What was a boundary, by byte of it. */
#define HIT_OUTER	1
#define HIT_INSIDE	2
#define HIT_AFTER	4
#define HIT_THIRD	8
extern u8 *machine_hits;

#endif /* SWEEP_MACHINE_H */
