/* SPDX-License-Identifier: GPL-2.0-only */
/* Print summaries, as text or as JSON. */
#ifndef RBMAP_INTERVALS_SUMMARY_VIEW_H
#define RBMAP_INTERVALS_SUMMARY_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "print/time_view.h"
#include "summary.h"

struct json;

/**
 * struct view - what is printed, and how
 * @time: how times are printed; lengths are in ns unless the clock's rate is not known
 * @summary: one for each kind; NULL: the kind is not shown
 * @discarded: number of intervals of each kind in which events were lost
 * @idle: number of intervals of each kind that are not shown, because they are those of kernel
 * threads without work, and of rbmap's own threads
 * @intervals: they know the numbers of tasks in their namespaces; NULL: none are shown
 * @buffer: the name of the buffer whose events these are; NULL: the recording has no other
 * @events, @lost: numbers of all events
 * @lost_unknown: an unknown number of events was lost, too
 * @left_out: intervals that are not selected, if there is a selection: @selects
 * @sort: order of the rows
 * @rows: most rows of a table; 0: all
 * @histogram: print histograms, too
 */
struct view {
	struct time_view time;
	const struct summary *summary[NR_INTERVAL_KINDS];
	uint64_t discarded[NR_INTERVAL_KINDS];
	uint64_t idle[NR_INTERVAL_KINDS];
	const struct intervals *intervals;
	const char *buffer;
	uint64_t events, lost;
	bool lost_unknown;
	bool selects;
	uint64_t left_out;
	enum row_sort sort;
	uint64_t rows;
	bool histogram;
};

/* Print to stdout. Return false if memory is lacking. */
bool view_text(const struct view *view);
bool view_json(const struct view *view, const char *clock);

/* Add the array of kinds to an object. Return false if memory is lacking. */
bool view_json_add_kinds(const struct view *view, struct json *j, const char *key);

#endif /* RBMAP_INTERVALS_SUMMARY_VIEW_H */
