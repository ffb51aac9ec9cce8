/* SPDX-License-Identifier: GPL-2.0-only */
/* The tasks of a page. */
#ifndef RBMAP_REPORT_HTML_DATA_TASKS_H
#define RBMAP_REPORT_HTML_DATA_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

#define OTHER_TASKS	1	/* index of all tasks beyond the most that a page has */

struct task_lane;

/**
 * struct page_task - a task
 * @index: its number in the page
 * @call: number of the name of the system call that it is in, plus 1; 0: none
 * @calls_since: number of losses before the call; @call is valid if there was none since
 * @lane: NULL: it has no lane of its own
 */
struct page_task {
	bool used;
	int pid;
	uint32_t index;
	uint32_t call;
	uint64_t calls_since;
	struct task_lane *lane;
};

HASH_TABLE(page_task_table, struct page_task);

struct tasks {
	struct page_task_table table;
	uint32_t nr_indexes;
};

void tasks_free(struct tasks *tasks);

/* Return the task of a pid, valid until the next call; NULL: out of memory. */
struct page_task *tasks_get(struct tasks *tasks, int pid);

#endif /* RBMAP_REPORT_HTML_DATA_TASKS_H */
