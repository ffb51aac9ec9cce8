// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

const char *const row_key_names[NR_ROW_KEYS] = {
	[ROW_TASK] = "task", [ROW_CPU] = "cpu", [ROW_NAME] = "name", [ROW_CGROUP] = "cgroup",
};

#define FIRST_SLOTS	64	/* a power of two */

#define SLOT_IS_OF(slot, its_key)	((slot)->key == (its_key))
#define KEY_OF_SLOT(slot)		((slot)->key)
HASH_FUNCTIONS(row_table, struct row_slot, uint64_t, FIRST_SLOTS, hash_u64, SLOT_IS_OF,
	       KEY_OF_SLOT);

static uint64_t key_of(enum row_key key, const struct interval *interval)
{
	switch (key) {
	case ROW_TASK:
		return (uint32_t)interval->pid;
	case ROW_CPU:
		return (uint32_t)interval->cpu;
	default:
		/* Equal names have the same address. */
		return (uintptr_t)interval->name;
	}
}

static struct row *new_row(const struct interval *interval)
{
	struct row *row = calloc(1, sizeof(*row));

	if (row) {
		row->pid = interval->pid;
		row->cpu = interval->cpu;
		row->name = interval->name;
		row->device = interval->device;
	}
	return row;
}

/* Return the row of an interval, which may be new, or NULL: out of memory. */
static struct row *find_row(struct rows *rows, const struct interval *interval)
{
	uint64_t key = key_of(rows->key, interval);
	struct row_slot *slot = row_table_place(&rows->table, key);
	struct row *row;

	if (!slot || slot->used)
		return slot ? slot->row : NULL;
	row = new_row(interval);
	if (row) {
		*slot = (struct row_slot){ key, row, true };
		rows->table.nr++;
	}
	return row;
}

bool rows_add(struct rows *rows, const struct interval *added)
{
	uint64_t length = added->end - added->begin;
	struct interval of_cgroup;
	const struct interval *interval = added;
	struct row *row;

	if (rows->key == ROW_CGROUP) {
		of_cgroup = *added;
		of_cgroup.name = rows->cgroup(rows->data, added->pid);
		interval = &of_cgroup;
	}
	row = find_row(rows, interval);
	if (!row)
		return false;
	if (rows->key == ROW_TASK && *interval->comm)
		snprintf(row->comm, sizeof(row->comm), "%s", interval->comm);
	if (!row->lengths.count || length > row->lengths.max)
		row->when = interval->begin;
	return histogram_add(&row->lengths, length);
}

void rows_free(struct rows *rows)
{
	struct row_slot *slot;

	hash_for_each(&rows->table, slot) {
		histogram_free(&slot->row->lengths);
		free(slot->row);
	}
	free(rows->table.slot);
}

static uint64_t value_of(const struct row *row, enum row_sort sort)
{
	const struct histogram *h = &row->lengths;

	switch (sort) {
	case SORT_TOTAL:
		return h->total;
	case SORT_AVERAGE:
		return h->total / h->count;
	case SORT_P99:
		return histogram_quantile(h, 0.99);
	case SORT_COUNT:
		return h->count;
	default:
		return h->max;
	}
}

/* Rows with equal values have an order of their own, so that it does not change. */
static int compare(const void *a, const void *b, void *sort)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	uint64_t of_x = value_of(x, *(enum row_sort *)sort);
	uint64_t of_y = value_of(y, *(enum row_sort *)sort);

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	if (x->when != y->when)
		return x->when < y->when ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

struct row **rows_sorted(const struct rows *rows, enum row_sort sort)
{
	struct row **sorted = calloc(rows->table.nr + 1, sizeof(*sorted));
	struct row_slot *slot;
	size_t nr = 0;

	if (!sorted)
		return NULL;
	hash_for_each(&rows->table, slot)
		sorted[nr++] = slot->row;
	qsort_r(sorted, nr, sizeof(*sorted), compare, &sort);
	return sorted;
}
