// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "tasks.h"

#define FIRST_SLOTS	1024	/* a power of two */
#define MOST_TASKS	(1 << 18)

static inline size_t hash_of(int pid)
{
	return hash_u32(pid);
}

static inline int pid_of(const struct page_task *task)
{
	return task->pid;
}

static inline bool is_of(const struct page_task *task, int pid)
{
	return task->pid == pid;
}

HASH_FUNCTIONS(page_task_table, struct page_task, int, FIRST_SLOTS, hash_of, is_of, pid_of);

void tasks_free(struct tasks *tasks)
{
	free(tasks->table.slot);
}

/*
 * The idle task has index 0, and index 1 is that of all tasks behind the first MOST_TASKS.
 * These share one entry, with the pid -1.
 */
struct page_task *tasks_get(struct tasks *tasks, int pid)
{
	struct page_task *task = page_task_table_place(&tasks->table, pid);

	if (!task)
		return NULL;
	if (!task->used && tasks->table.nr >= MOST_TASKS && pid > 0)
		return tasks_get(tasks, -1);
	if (task->used)
		return task;
	if (tasks->nr_indexes <= OTHER_TASKS)
		tasks->nr_indexes = OTHER_TASKS + 1;
	*task = (struct page_task){ .used = true, .pid = pid };
	if (pid)
		task->index = pid < 0 ? OTHER_TASKS : tasks->nr_indexes++;
	tasks->table.nr++;
	return task;
}
