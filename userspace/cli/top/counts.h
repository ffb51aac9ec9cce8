/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many events of each kind each task wrote on each CPU, since the last
 * counts_clear(). Each event adds to one entry, and rows.h adds the entries up.
 */
#ifndef RBMAP_CLI_COUNTS_H
#define RBMAP_CLI_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#define COUNTS_MOST	(1u << 16)	/* entries */

/**
 * struct count - an entry
 * @cpu, @pid, @id: the event's CPU, task and kind; all are -1 in the last entry that the
 * table has room for, which has the events of all other combinations
 */
struct count {
	int cpu;
	int pid;
	int id;
	uint64_t events;
};

struct counts;

struct counts *counts_new(void);	/* NULL: out of memory */
void counts_free(struct counts *counts);

void counts_add(struct counts *counts, int cpu, int pid, int id);

/* Return the entries, in no order. They are valid until the next call. */
const struct count *counts_all(const struct counts *counts, size_t *nr);

void counts_clear(struct counts *counts);

#endif /* RBMAP_CLI_COUNTS_H */
