// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "task_names.h"

#define FIRST_SLOTS	1024	/* a power of two */
#define NR_CHAINS	4096	/* a power of two */

/* A slot without a name is free. */
struct slot {
	int pid;
	char *name;
	bool is_first;		/* it is from task_names_set_first() */
};

/* A name that is kept */
struct kept {
	struct kept *next;
	char name[];
};

/* The table uses open addressing. It always has free slots, which end a search. */
struct task_names {
	struct slot *slot;
	size_t nr_slots;	/* a power of two */
	size_t nr_used;
	bool keeps;
	struct kept **kept;	/* chains, if @keeps */
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
	if (!names)
		return;
	for (size_t i = 0; !names->keeps && i < names->nr_slots; i++)
		free(names->slot[i].name);
	free_kept(names);
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
	copy = names->keeps ? keep(names, name) : strdup(name);
	if (!copy)
		return -ENOMEM;
	if (!slot->name && 2 * ++names->nr_used > names->nr_slots) {
		if (!grow(names)) {
			names->nr_used--;
			if (!names->keeps)
				free(copy);
			return -ENOMEM;
		}
		slot = find_slot(names, pid);
	}
	if (!names->keeps)
		free(slot->name);
	*slot = (struct slot){ pid, copy, slot->is_first };
	return 1;
}

int task_names_set_first(struct task_names *names, int pid, const char *name)
{
	const struct slot *slot = find_slot(names, pid);
	int ret;

	if (slot->name && slot->is_first)
		return 0;
	ret = task_names_set(names, pid, name);
	if (ret < 0)
		return ret;
	find_slot(names, pid)->is_first = true;
	return 0;
}

void task_names_each(const struct task_names *names, task_name_fn *each, void *data)
{
	for (size_t i = 0; i < names->nr_slots; i++)
		if (names->slot[i].name)
			each(data, names->slot[i].pid, names->slot[i].name);
}
