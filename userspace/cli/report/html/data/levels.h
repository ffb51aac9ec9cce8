/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Levels of detail of a track. A level divides the time into steps, and each step sums up
 * the slices in it. The length of a step is a power of two, four times that of the next
 * finer level.
 */
#ifndef RBMAP_REPORT_HTML_DATA_LEVELS_H
#define RBMAP_REPORT_HTML_DATA_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct store;

#define FIRST_LEVEL	8	/* log2 of the shortest step; levels differ by 2 */
#define NR_LEVELS	28

/**
 * enum track_mode - meaning of a track's values, and their sum in a step
 * @TRACK_NAMES: the value is a name or a task: the step has the share of those that fill
 * most of it, and the share of all
 * @TRACK_STATES: the value is a task's state: the step has the share of each state
 * @TRACK_DEPTH: the value is a number: the step has the largest one, and the mean
 * @TRACK_EVENTS: moments: the step has their number, and the type of a single one
 */
enum track_mode { TRACK_NAMES, TRACK_STATES, TRACK_DEPTH, TRACK_EVENTS };

/* The low bits of a value of TRACK_STATES */
enum task_state { STATE_RUNS, STATE_RUNNABLE, STATE_BLOCKED, STATE_SLEEPS, NR_STATES };
#define STATE_BITS	2

#define STEP_VALUES	4	/* values of a step whose times are counted */

/**
 * struct step - a step that is not complete
 * @index: its number: its begin divided by its length
 * @filled: time in the step that slices fill
 * @value, @time: the values that fill most, and their time. For TRACK_STATES, @time is that of
 * each state. For TRACK_DEPTH they are the largest value, and the sum of value times time. For
 * TRACK_EVENTS they are the type of the last event, and the number of events
 * @mark: events were lost in the step
 */
struct step {
	bool used;
	bool mark;
	uint64_t index;
	uint64_t filled;
	uint64_t value[STEP_VALUES];
	uint64_t time[STEP_VALUES];
};

/**
 * struct level - a level
 * @open: the step that is not complete
 * @indexes, @values, @shares: columns of the complete steps
 * @first, @last: the indexes of the first and the last one of them
 * @mark: events were lost in one of them
 */
struct level {
	struct step open;
	unsigned int count;
	bool mark;
	uint64_t first, last;
	struct buf indexes, values, shares;
};

struct levels {
	enum track_mode mode;
	struct level level[NR_LEVELS];
};

/* Return the logarithm of a step's length, to the base 2. */
unsigned int levels_bits(unsigned int level);

/* Return the finest level that is useful for a number of slices in a time. */
unsigned int levels_finest(uint64_t time, unsigned int count);

/* Steps that are finer than a level are complete. */
void levels_close(struct levels *l, unsigned int finest);

/* Add a slice to that level; with levels_close() it comes to the coarser ones. */
void levels_add(struct levels *l, unsigned int finest, uint64_t begin, uint64_t end,
		uint64_t value);

/* Add a moment to a track of events. @type: 0: events were lost */
void levels_add_event(struct levels *l, unsigned int finest, uint64_t ts, uint32_t type);

void levels_free(struct levels *l);

/*
 * levels_store.c: put the steps of those levels that have enough for a piece into the
 * store. @number: the track. Return 0 or a negative errno.
 */
int levels_flush(struct levels *levels, unsigned int number, struct store *store);
/* After the last slice: put the last steps into the store. @time: that of the whole page */
int levels_end(struct levels *levels, unsigned int number, struct store *store, uint64_t time);

#endif /* RBMAP_REPORT_HTML_DATA_LEVELS_H */
