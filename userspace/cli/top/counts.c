// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "counts.h"

#define NR_SLOTS	(2 * COUNTS_MOST)	/* a power of two: half of the slots stay free */

/*
 * A slot has the number of an entry plus one. The table uses open addressing, and its size
 * is fixed: tasks that live for milliseconds would make it grow without end.
 */
struct counts {
	struct count entry[COUNTS_MOST];
	uint32_t slot[NR_SLOTS];
	size_t nr;
};

struct counts *counts_new(void)
{
	return calloc(1, sizeof(struct counts));
}

void counts_free(struct counts *counts)
{
	free(counts);
}

static uint32_t hash(int cpu, int pid, int id)
{
	uint64_t key = ((uint64_t)(uint32_t)pid << 32) ^ ((uint64_t)(uint32_t)id << 16) ^
		       (uint32_t)cpu;

	return hash_u64(key);
}

static struct count *new_entry(struct counts *counts, int cpu, int pid, int id)
{
	struct count *entry;

	if (counts->nr == COUNTS_MOST)
		return &counts->entry[COUNTS_MOST - 1];
	entry = &counts->entry[counts->nr++];
	if (counts->nr == COUNTS_MOST)
		cpu = pid = id = -1;
	*entry = (struct count){ .cpu = cpu, .pid = pid, .id = id };
	return entry;
}

void counts_add(struct counts *counts, int cpu, int pid, int id)
{
	uint32_t i = hash(cpu, pid, id) & (NR_SLOTS - 1);
	struct count *entry;

	while (counts->slot[i]) {
		entry = &counts->entry[counts->slot[i] - 1];
		if (entry->pid == pid && entry->id == id && entry->cpu == cpu) {
			entry->events++;
			return;
		}
		i = (i + 1) & (NR_SLOTS - 1);
	}
	entry = new_entry(counts, cpu, pid, id);
	if (entry->id >= 0)
		counts->slot[i] = counts->nr;
	entry->events++;
}

const struct count *counts_all(const struct counts *counts, size_t *nr)
{
	*nr = counts->nr;
	return counts->entry;
}

void counts_clear(struct counts *counts)
{
	memset(counts->slot, 0, sizeof(counts->slot));
	counts->nr = 0;
}
