// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "task_names.h"

#define FIRST_SLOTS	1024	/* a power of two */

/* A slot without a name is free. */
struct slot {
	int pid;
	char *name;
};

/* The table uses open addressing. It always has free slots, which end a search. */
struct task_names {
	struct slot *slot;
	size_t nr_slots;	/* a power of two */
	size_t nr_used;
};

struct task_names *task_names_new(void)
{
	struct task_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->nr_slots = FIRST_SLOTS;
	names->slot = calloc(names->nr_slots, sizeof(*names->slot));
	if (!names->slot) {
		free(names);
		return NULL;
	}
	return names;
}

void task_names_free(struct task_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->nr_slots; i++)
		free(names->slot[i].name);
	free(names->slot);
	free(names);
}

/* Return the slot of a pid, or the free slot where it belongs. */
static struct slot *find_slot(const struct task_names *names, int pid)
{
	size_t mask = names->nr_slots - 1, i = (uint32_t)pid * 2654435761u & mask;

	while (names->slot[i].name && names->slot[i].pid != pid)
		i = (i + 1) & mask;
	return &names->slot[i];
}

const char *task_names_find(const struct task_names *names, int pid)
{
	return find_slot(names, pid)->name;
}

static bool grow(struct task_names *names)
{
	struct task_names more = { .nr_slots = 2 * names->nr_slots };

	more.slot = calloc(more.nr_slots, sizeof(*more.slot));
	if (!more.slot)
		return false;
	for (size_t i = 0; i < names->nr_slots; i++)
		if (names->slot[i].name)
			*find_slot(&more, names->slot[i].pid) = names->slot[i];
	free(names->slot);
	names->slot = more.slot;
	names->nr_slots = more.nr_slots;
	return true;
}

int task_names_set(struct task_names *names, int pid, const char *name)
{
	struct slot *slot = find_slot(names, pid);
	char *copy;

	if (slot->name && !strcmp(slot->name, name))
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	if (!slot->name && 2 * ++names->nr_used > names->nr_slots) {
		if (!grow(names)) {
			names->nr_used--;
			free(copy);
			return -ENOMEM;
		}
		slot = find_slot(names, pid);
	}
	free(slot->name);
	*slot = (struct slot){ pid, copy };
	return 1;
}

void task_names_each(const struct task_names *names, task_name_fn *each, void *data)
{
	for (size_t i = 0; i < names->nr_slots; i++)
		if (names->slot[i].name)
			each(data, names->slot[i].pid, names->slot[i].name);
}
