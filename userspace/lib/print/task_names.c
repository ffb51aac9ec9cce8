// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "task_names.h"

#define NR_CHAINS	4096	/* a power of two */

struct task {
	int pid;
	bool used;
	bool is_first;		/* it is from task_names_set_first() */
	char *name;
};

#define TASK_IS_OF(task, key)	((task)->pid == (key))
#define PID_OF_TASK(task)	((task)->pid)

HASH_TABLE(tasks, struct task);
HASH_FUNCTIONS(tasks, struct task, int, 1024, hash_u32, TASK_IS_OF, PID_OF_TASK);

/* A name that is kept */
struct kept {
	struct kept *next;
	char name[];
};

struct task_names {
	struct tasks tasks;
	bool keeps;
	struct kept **kept;	/* chains, if @keeps */
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
	/* Without memory, task_names_set() fails. */
	names->kept = calloc(NR_CHAINS, sizeof(*names->kept));
	names->keeps = true;
}

static void free_kept(struct task_names *names)
{
	struct kept *kept, *next;

	for (size_t i = 0; names->kept && i < NR_CHAINS; i++)
		for (kept = names->kept[i]; kept; kept = next) {
			next = kept->next;
			free(kept);
		}
	free(names->kept);
}

static uint32_t hash_name(const char *name)
{
	uint32_t hash = 2166136261u;	/* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash;
}

/* Return the copy of a name that is kept, or a new one; NULL: out of memory. */
static char *keep(struct task_names *names, const char *name)
{
	struct kept **chain, *kept;
	size_t size = strlen(name) + 1;

	if (!names->kept)
		return NULL;
	chain = &names->kept[hash_name(name) % NR_CHAINS];
	for (kept = *chain; kept; kept = kept->next)
		if (!strcmp(kept->name, name))
			return kept->name;
	kept = malloc(sizeof(*kept) + size);
	if (!kept)
		return NULL;
	memcpy(kept->name, name, size);
	kept->next = *chain;
	*chain = kept;
	return kept->name;
}

void task_names_free(struct task_names *names)
{
	struct task *task;

	if (!names)
		return;
	hash_for_each(&names->tasks, task)
		if (!names->keeps)
			free(task->name);
	free_kept(names);
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
	char *copy = names->keeps ? keep(names, name) : strdup(name);

	if (!copy)
		return -ENOMEM;
	if (!task->used)
		task = tasks_place(&names->tasks, pid);
	if (!task) {
		if (!names->keeps)
			free(copy);
		return -ENOMEM;
	}
	names->tasks.nr += !task->used;
	if (!names->keeps)
		free(task->name);
	*task = (struct task){ pid, true, task->is_first, copy };
	return 1;
}

int task_names_set(struct task_names *names, int pid, const char *name)
{
	struct task *task = find_slot(names, pid);

	return task->used && !strcmp(task->name, name) ? 0 : change(names, task, pid, name);
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

void task_names_each(const struct task_names *names, task_name_fn *each, void *data)
{
	const struct task *task;

	hash_for_each(&names->tasks, task)
		each(data, task->pid, task->name);
}
