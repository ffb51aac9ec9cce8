/* SPDX-License-Identifier: GPL-2.0-only */
/* Wake-ups of tasks that then ran on a CPU, as arrows from the waker. */
#ifndef RBMAP_REPORT_HTML_DATA_ARROWS_H
#define RBMAP_REPORT_HTML_DATA_ARROWS_H

#include <stdint.h>

#include "store.h"

/**
 * struct arrow - a wake-up
 * @begin, @end: times of the wake-up, and of the switch to the task
 * @cpu: the waker's CPU
 * @waker, @task: indexes of the tasks
 * @flags: common_flags of the wake-up
 */
struct arrow {
	uint64_t begin, end;
	unsigned int cpu;
	uint32_t waker, task;
	unsigned int flags;
};

#define ARROW_COLUMNS	6

/**
 * struct arrows - the arrows to a CPU
 * @number: number of their track
 * @begin, @end: the earliest wake-up, and the last switch of the piece
 * @column: ends, lengths, CPUs, wakers, tasks, flags
 */
struct arrows {
	unsigned int number;
	unsigned int nr;
	uint64_t begin, end;
	struct buf column[ARROW_COLUMNS];
};

void arrows_free(struct arrows *arrows);

/* Add an arrow, in the order of the ends. Return 0 or a negative errno. */
int arrows_add(struct arrows *arrows, struct store *store, const struct arrow *arrow);
int arrows_flush(struct arrows *arrows, struct store *store);

#endif /* RBMAP_REPORT_HTML_DATA_ARROWS_H */
