// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

#define FIRST_SLOTS	1024	/* a power of two */

/* Return the slot of a pid, or the free slot where it belongs. */
static struct task *find_slot(struct task *task, size_t nr_slots, int pid)
{
	size_t i = (uint32_t)pid * 2654435761u & (nr_slots - 1);

	while (task[i].used && task[i].pid != pid)
		i = (i + 1) & (nr_slots - 1);
	return &task[i];
}

static bool grow(struct intervals *intervals)
{
	size_t nr = intervals->nr_task_slots ? 2 * intervals->nr_task_slots : FIRST_SLOTS;
	struct task *more = calloc(nr, sizeof(*more));

	if (!more)
		return false;
	for (size_t i = 0; i < intervals->nr_task_slots; i++)
		if (intervals->task[i].used)
			*find_slot(more, nr, intervals->task[i].pid) = intervals->task[i];
	free(intervals->task);
	intervals->task = more;
	intervals->nr_task_slots = nr;
	return true;
}

struct task *intervals_task(struct intervals *intervals, int pid)
{
	struct task *task;

	if (2 * intervals->nr_tasks >= intervals->nr_task_slots && !grow(intervals)) {
		intervals->failed = true;
		return NULL;
	}
	task = find_slot(intervals->task, intervals->nr_task_slots, pid);
	if (!task->used) {
		*task = (struct task){ .used = true, .pid = pid, .waker.pid = -1,
				       .prio = INTERVAL_PRIO_NONE };
		intervals->nr_tasks++;
	}
	return task;
}

const struct task *intervals_find_task(const struct intervals *intervals, int pid)
{
	const struct task *task;

	if (!intervals->nr_task_slots)
		return NULL;
	task = find_slot(intervals->task, intervals->nr_task_slots, pid);
	return task->used ? task : NULL;
}

void task_set_comm(struct task *task, const char *comm, size_t size)
{
	size = strnlen(comm, size < INTERVAL_COMM_SIZE ? size : INTERVAL_COMM_SIZE);
	memcpy(task->comm, comm, size);
	task->comm[size] = '\0';
}

void task_set_comm_from(struct task *task, const struct event_context *m, unsigned int field)
{
	char comm[INTERVAL_COMM_SIZE + 1];

	layout_text(m->layout, m->ev, field, comm, sizeof(comm));
	task_set_comm(task, comm, sizeof(comm));
}

void task_runs(struct task *task)
{
	task->running = true;
	task->runnable = 0;
	task->wakes = 0;
	task->left = 0;
	task->waker.pid = -1;
	task->throttled = false;
}

int intervals_add_comm(struct intervals *intervals, int pid, const char *comm)
{
	struct task *task = intervals_task(intervals, pid);

	if (!task)
		return -ENOMEM;
	if (!*task->comm)
		task_set_comm(task, comm, strlen(comm));
	return 0;
}
