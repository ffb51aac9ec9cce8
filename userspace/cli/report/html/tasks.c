// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "tasks.h"

#define FIRST_SLOTS	1024	/* a power of two */
#define MOST_TASKS	(1 << 18)

/* Return the slot of a pid, or the free slot where it belongs. */
static struct page_task *find_slot(struct page_task *slot, uint32_t nr_slots, int pid)
{
	uint32_t i = (uint32_t)pid * 2654435761u & (nr_slots - 1);

	while (slot[i].used && slot[i].pid != pid)
		i = (i + 1) & (nr_slots - 1);
	return &slot[i];
}

static bool grow(struct tasks *tasks)
{
	uint32_t nr = tasks->nr_slots ? 2 * tasks->nr_slots : FIRST_SLOTS;
	struct page_task *more = calloc(nr, sizeof(*more));

	if (!more)
		return false;
	for (uint32_t i = 0; i < tasks->nr_slots; i++)
		if (tasks->slot[i].used)
			*find_slot(more, nr, tasks->slot[i].pid) = tasks->slot[i];
	free(tasks->slot);
	tasks->slot = more;
	tasks->nr_slots = nr;
	return true;
}

void tasks_free(struct tasks *tasks)
{
	free(tasks->slot);
}

/*
 * The idle task has index 0, and index 1 is that of all tasks behind the first MOST_TASKS.
 * These share one entry, with the pid -1.
 */
struct page_task *tasks_get(struct tasks *tasks, int pid)
{
	struct page_task *task;

	if (2 * tasks->nr >= tasks->nr_slots && !grow(tasks))
		return NULL;
	task = find_slot(tasks->slot, tasks->nr_slots, pid);
	if (!task->used && tasks->nr >= MOST_TASKS && pid > 0)
		return tasks_get(tasks, -1);
	if (task->used)
		return task;
	if (tasks->nr_indexes <= OTHER_TASKS)
		tasks->nr_indexes = OTHER_TASKS + 1;
	*task = (struct page_task){ .used = true, .pid = pid };
	if (pid)
		task->index = pid < 0 ? OTHER_TASKS : tasks->nr_indexes++;
	tasks->nr++;
	return task;
}
