// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/names.h"
#include "task_names.h"

struct task {
	int pid;
	bool used;
	bool is_first;		/* it is from task_names_set_first() */
	const char *name;
};

#define TASK_IS_OF(task, key)	((task)->pid == (key))
#define PID_OF_TASK(task)	((task)->pid)

HASH_TABLE(tasks, struct task);
HASH_FUNCTIONS(tasks, struct task, int, 1024, hash_u32, TASK_IS_OF, PID_OF_TASK);

struct task_names {
	struct tasks tasks;
	bool keeps;
	struct names kept;	/* if @keeps */
};

struct task_names *task_names_new(void)
{
	struct task_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	/* With slots, a search need not ask whether there are some. */
	if (!tasks_grow(&names->tasks)) {
		free(names);
		return NULL;
	}
	return names;
}

void task_names_keep(struct task_names *names)
{
	names->keeps = true;
}

void task_names_free(struct task_names *names)
{
	struct task *task;

	if (!names)
		return;
	hash_for_each(&names->tasks, task)
		if (!names->keeps)
			free((void *)task->name);
	names_free(&names->kept);
	free(names->tasks.slot);
	free(names);
}

/* Return the task of a pid, or the free slot where it belongs. */
static struct task *find_slot(const struct task_names *names, int pid)
{
	return tasks_slot(names->tasks.slot, names->tasks.nr_slots, pid);
}

const char *task_names_find(const struct task_names *names, int pid)
{
	return find_slot(names, pid)->name;
}

/*
 * Store a name that differs from that in the slot of the pid. A function of its own, so that
 * task_names_set() saves no registers for it.
 */
static __attribute__((noinline)) int change(struct task_names *names, struct task *task, int pid,
					    const char *name)
{
	bool keeps = names->keeps;
	const char *copy = keeps ? names_add(&names->kept, name) : strdup(name);

	if (!copy)
		return -ENOMEM;
	if (!task->used)
		task = tasks_place(&names->tasks, pid);
	if (!task) {
		if (!keeps)
			free((void *)copy);
		return -ENOMEM;
	}
	names->tasks.nr += !task->used;
	if (!keeps)
		free((void *)task->name);
	*task = (struct task){ pid, true, task->is_first, copy };
	return 1;
}

int task_names_set(struct task_names *names, int pid, const char *name)
{
	struct task *task = find_slot(names, pid);

	return task->used && !strcmp(task->name, name) ? 0 : change(names, task, pid, name);
}

bool task_names_has_first(const struct task_names *names, int pid)
{
	return find_slot(names, pid)->is_first;
}

int task_names_set_first(struct task_names *names, int pid, const char *name)
{
	const struct task *task = find_slot(names, pid);
	int ret;

	if (task->is_first)
		return 0;
	ret = task_names_set(names, pid, name);
	if (ret < 0)
		return ret;
	find_slot(names, pid)->is_first = true;
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct task *x = *(const struct task *const *)a;
	const struct task *y = *(const struct task *const *)b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

int task_names_each(const struct task_names *names, task_name_fn *each, void *data)
{
	struct task **sorted = hash_sorted(&names->tasks, by_pid);

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < names->tasks.nr; i++)
		each(data, sorted[i]->pid, sorted[i]->name);
	free(sorted);
	return 0;
}
