/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which waits of a recording are worth a sentence: not those in which a task has nothing to
 * do. Waits of a task that follow each other and have one cause are one stall.
 */
#ifndef RBMAP_INTERVALS_WHY_STALL_H
#define RBMAP_INTERVALS_WHY_STALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cause.h"
#include "history.h"

/**
 * struct stall - waits of one task with one cause
 * @piece: the longest one: a wait, or a handler that ran in the task's name
 * @begin, @end: from the first one to the last one
 * @time: their sum
 * @score: their time, without what is idle: the larger the worse
 */
struct stall {
	const struct piece *piece;
	uint64_t begin, end, time;
	unsigned int waits;
	double score;
};

/**
 * struct stalls - the worst first
 * @considered: waits whose causes were looked for
 * @left_out: shorter ones
 * @not_selected: waits that the user's selection refuses
 */
struct stalls {
	struct stall *stall;
	size_t nr;
	size_t considered, left_out, not_selected;
};

/* Return true if the task of a wait is wanted. @data: that of struct stall_choice */
typedef bool stall_task_fn(void *data, const struct piece *piece);
/* Return true for a thread of the kernel, whose waits matter if others wait for it. */
typedef bool stall_is_kernel_fn(void *data, const struct piece *piece);

/* A wait and its causes. @idle: the task waited for work. Return false if memory is lacking. */
typedef bool stall_each_fn(void *data, const struct piece *piece,
			   const struct analysis *analysis, bool idle);

/**
 * struct stall_choice - what is looked for
 * @is_wanted: the waits of the task may be reported
 * @is_selected: the task fits the user's selection
 * @each: called for each wait whose causes were found, or NULL
 * @at: only waits in which this time lies; 0: all
 */
struct stall_choice {
	stall_task_fn *is_wanted, *is_selected;
	stall_is_kernel_fn *is_kernel;
	stall_each_fn *each;
	void *data;
	uint64_t at;
};

/* Return false if memory is lacking. */
bool stalls_find(struct stalls *stalls, const struct history *h,
		 const struct stall_choice *choice);
void stalls_free(struct stalls *stalls);

/* Find the causes of the stall's longest wait, and the root. Return its score. */
double stall_analyse(const struct history *h, const struct stall *stall,
		   struct analysis *analysis);

/* Return true if @comm is the name of a thread of the kernel. */
bool stall_is_of_kernel(const char *comm);

/* Return true if a task waited. In the other stalls a handler ran in the name of the task. */
bool stall_is_wait(const struct stall *stall);

/* Return true if the task waited for work, so that nothing is wrong with the wait. */
bool stall_is_idle(const struct stall *stall);

#endif /* RBMAP_INTERVALS_WHY_STALL_H */
