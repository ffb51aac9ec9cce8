/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * When a recording was made: moments at which the ring's clock was read together with
 * the clocks of user space. A recording has them as one more text of counters, which
 * `trace-cmd report --stat` prints.
 */
#ifndef RBMAP_DAT_TIMES_H
#define RBMAP_DAT_TIMES_H

#include <stdbool.h>
#include <stdint.h>
#include <rbmap.h>

#define DAT_REASON_SIZE	256	/* bytes, with the 0 */
#define DAT_NR_MOMENTS	3

/* The first line of the text, and the beginning of the line with the reason */
#define DAT_TIMES_TITLE		"Times of the recording\n"
#define DAT_TIMES_REASON	"reason: "

/**
 * struct dat_times - the moments of a recording; those with @real 0 are not known
 * @begin: the recording, or the flight recorder, began
 * @trigger: a flight recorder or 'rbmap snapshot' froze the rings
 * @end: the recording ended
 * @reason: one line that says why the rings were frozen; empty: nothing is known
 */
struct dat_times {
	struct rbmap_moment begin;
	struct rbmap_moment trigger;
	struct rbmap_moment end;
	char reason[DAT_REASON_SIZE];
};

/* The names of the moments in the text, and their places */
extern const char *const dat_moment_names[DAT_NR_MOMENTS];
struct rbmap_moment *dat_times_moment(struct dat_times *times, unsigned int i);

/* Return false if the text has no moments, and leave *times alone. */
bool dat_times_parse(struct dat_times *times, const char *text);

#endif /* RBMAP_DAT_TIMES_H */
