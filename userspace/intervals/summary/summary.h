/* SPDX-License-Identifier: GPL-2.0-only */
/* All intervals of one kind: a table, a histogram, and the worst ones. */
#ifndef RBMAP_INTERVALS_SUMMARY_SUMMARY_H
#define RBMAP_INTERVALS_SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"
#include "intervals/intervals.h"
#include "rows.h"

#define MOST_WORST	1000
#define MOST_SHARES	4	/* tasks that ran instead */

/**
 * struct worst - one of the longest intervals
 * @interval: its @comm and @waker point to the other members
 * @interrupts: the time in which handlers ran on that CPU
 * @share: for a task that could run: the tasks that ran on that CPU
 */
struct worst {
	struct interval interval;
	char comm[INTERVAL_COMM_SIZE + 1];
	struct interval_waker waker;
	struct interval_share share[MOST_SHARES];
	unsigned int nr_shares;
	uint64_t interrupts;
};

/**
 * struct summary - the intervals of a kind
 * @all: intervals that have ended; @rows has the same ones
 * @worst: the longest intervals, the longest first, including those that had not ended
 * @most_worst: size of @worst, at most
 * @unfinished: number of intervals that had not ended
 */
struct summary {
	enum interval_kind kind;
	struct rows rows;
	struct histogram all;
	struct worst *worst;
	unsigned int nr_worst, most_worst;
	uint64_t unfinished;
};

/* Return false if memory is lacking. */
bool summary_init(struct summary *s, enum interval_kind kind, enum row_key key,
		  unsigned int most_worst);
void summary_free(struct summary *s);
/*
 * After the last event of running rings: a task of the longest intervals that had no name gets the
 * one that later events have said.
 */
void summary_set_comms(struct summary *s, const struct intervals *intervals);
bool summary_add(struct summary *s, const struct intervals *intervals,
		 const struct interval *interval);
/* Add the interval to the longest ones alone, if it is one of them. */
void summary_add_worst(struct summary *s, const struct intervals *intervals,
		       const struct interval *interval);

#endif /* RBMAP_INTERVALS_SUMMARY_SUMMARY_H */
