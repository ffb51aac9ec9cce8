/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Nested interrupts at each instruction boundary of the ring.
 *
 * The CPU single-steps through the ring's compiled code.  At each boundary, memory
 * and registers are saved, and an act runs as an interrupt handler would.  Then the
 * interrupted code continues at full speed, and the final state is checked.  The
 * saved state is restored for the next act, and after the last act for the next
 * boundary.
 *
 * The act can itself be stepped through and interrupted in the same way.  So can
 * the rest of the code that it interrupted: this reaches instructions that run only
 * after an interrupt.
 */
#ifndef SWEEP_MACHINE_H
#define SWEEP_MACHINE_H

#include "ring_fixture.h"

#define MACHINE_HELD	3	/* most boundaries that wait at the same time */

/**
 * struct act - an operation that may interrupt another one
 * @name: name in the results
 * @run: called like an interrupt handler, on the interrupted stack
 */
struct act {
	const char	*name;
	void		(*run)(void);
};

/* The code that is stepped through once an act has interrupted another. */
enum steps {
	STEP_NONE,
	STEP_INSIDE,		/* the act itself */
	STEP_AFTER,		/* the rest of the code that it interrupted */
};

/**
 * struct sweep - an act, and the acts that run at each of its boundaries in the ring
 * @outer: act that is interrupted
 * @next: returns the i-th act for a boundary, NULL after the last
 *	@held: number of boundaries that wait already
 *	@boundary: number of the boundary since the last of these
 * @state: calls its argument for all memory that a run may change; memory that holds
 *	a size comes before the memory of that size
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
 * struct counts - work of a sweep
 * @boundaries: boundaries of the outer act that were interrupted
 * @inside: pairs: boundaries of the interrupting acts that were interrupted
 * @after: pairs: boundaries of the outer act that were interrupted a second time
 * @thirds: boundaries that a third act interrupted
 * @runs: runs that were checked to the end
 */
struct counts {
	u64	boundaries;
	u64	inside;
	u64	after;
	u64	thirds;
	u64	runs;
};

/* Return: false if this machine does not single-step. */
bool machine_init(void);
void machine_sweep(const struct sweep *sweep, struct counts *counts);

/* Print which act interrupted which other one, and where that waits. */
void machine_print(void (*print_where)(unsigned long address));

/* The ring's code, a section of its own: see sweep.mk. */
extern const u8 __start_ring_text[], __stop_ring_text[];

/* Kinds of boundaries met, for each byte of the ring's code. */
#define HIT_OUTER	1
#define HIT_INSIDE	2
#define HIT_AFTER	4
#define HIT_THIRD	8
extern u8 *machine_hits;

#endif /* SWEEP_MACHINE_H */
