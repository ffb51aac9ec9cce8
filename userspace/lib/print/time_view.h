/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Times of a recording as the user wants to see them. The moments of the recording say
 * which time of the wall clock belongs to which time of the ring.
 */
#ifndef RBMAP_PRINT_TIME_VIEW_H
#define RBMAP_PRINT_TIME_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/dat_times.h"

enum time_style { TIME_RING, TIME_RELATIVE, TIME_WALL, TIME_WALL_UTC };

/**
 * struct time_view - how times are printed
 * @is_counter: the ring's clock counts cycles, and its times are printed as they are
 * @ring: a time of the ring; with TIME_RELATIVE the time that is printed as 0
 * @real: CLOCK_REALTIME at that time, in ns; 0: not known
 * @boot: CLOCK_BOOTTIME at that time, in ns; 0: not known
 * @real_step, @ring_step: @real_step ns pass in @ring_step units of the ring's clock
 * @end: the recording ended at that time of the ring; 0: not known
 * @is_real: the ring's times are those of the wall clock; no moment of the recording is known
 */
struct time_view {
	enum time_style style;
	bool is_counter;
	uint64_t ring;
	uint64_t real;
	uint64_t boot;
	uint64_t real_step, ring_step;
	uint64_t end;
	bool is_real;
};

/*
 * Does a clock count cycles? @clock is its name in trace_clock, of ftrace too; NULL: it is
 * not known.
 */
bool clock_is_counter(const char *clock);

/*
 * Fill in all but the style. Return false if the recording does not say when it was made.
 */
bool time_view_init(struct time_view *view, const struct dat_times *times, bool is_counter);
/* The times of events are those of the wall clock. */
void time_view_init_real(struct time_view *view);

/* Convert between the ring's clock and ns since 1970, as far as both can be told. */
uint64_t time_view_real(const struct time_view *view, uint64_t ring);
uint64_t time_view_ring(const struct time_view *view, uint64_t real);

/*
 * Parse a time of the user:
 *
 *	-SECONDS		before the end of the recording
 *	HH:MM[:SS]		the last such time of day before the end, if that is known
 *	YYYY-MM-DD HH:MM[:SS]	a date and a time of day
 *	SECONDS			the ring's time, as it is printed
 *
 * Times of day are local time, or UTC with a Z at the end. Seconds may have decimals.
 * Store the time of the ring, and return NULL, or a text that says what is wrong.
 */
const char *time_view_parse(const struct time_view *view, const char *text, uint64_t *ring);

#define LENGTH_ROOM	24	/* for the text of a length of time */

/* Convert a length of the ring's clock to ns, or leave cycles whose rate is not known. */
uint64_t length_ns(const struct time_view *time, uint64_t length);

/* Store "12.3us": three digits, or a number of cycles. Return @text. */
char *length_text(const struct time_view *time, uint64_t length, char text[LENGTH_ROOM]);

#endif /* RBMAP_PRINT_TIME_VIEW_H */
