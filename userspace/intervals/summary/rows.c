// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

const char *const row_key_names[NR_ROW_KEYS] = {
	[ROW_TASK] = "task", [ROW_CPU] = "cpu", [ROW_NAME] = "name", [ROW_CGROUP] = "cgroup",
};

#define FIRST_SLOTS	64	/* a power of two */

static bool is_row_of(const struct row *row, enum row_key key, const struct interval *interval)
{
	switch (key) {
	case ROW_TASK:
		return row->pid == interval->pid;
	case ROW_CPU:
		return row->cpu == interval->cpu;
	default:
		/* Equal names have the same address. */
		return row->name == interval->name;
	}
}

static uint64_t hash(enum row_key key, const struct interval *interval)
{
	uint64_t value = key == ROW_TASK ? (uint32_t)interval->pid :
			 key == ROW_CPU ? (uint32_t)interval->cpu : (uintptr_t)interval->name;

	return value * 0x9e3779b97f4a7c15ULL >> 32;
}

static struct row **find_slot(struct row **slot, size_t nr_slots, enum row_key key,
			      const struct interval *interval)
{
	size_t i = hash(key, interval) & (nr_slots - 1);

	while (slot[i] && !is_row_of(slot[i], key, interval))
		i = (i + 1) & (nr_slots - 1);
	return &slot[i];
}

static bool grow(struct rows *rows)
{
	size_t nr = rows->nr_slots ? 2 * rows->nr_slots : FIRST_SLOTS;
	struct row **more = calloc(nr, sizeof(*more));

	if (!more)
		return false;
	for (size_t i = 0; i < rows->nr_slots; i++) {
		struct row *row = rows->slot[i];
		struct interval like;

		if (!row)
			continue;
		like = (struct interval){ .pid = row->pid, .cpu = row->cpu, .name = row->name };
		*find_slot(more, nr, rows->key, &like) = row;
	}
	free(rows->slot);
	rows->slot = more;
	rows->nr_slots = nr;
	return true;
}

bool rows_add(struct rows *rows, const struct interval *added)
{
	uint64_t length = added->end - added->begin;
	struct interval of_cgroup;
	const struct interval *interval = added;
	struct row **slot, *row;

	if (rows->key == ROW_CGROUP) {
		of_cgroup = *added;
		of_cgroup.name = rows->cgroup(rows->data, added->pid);
		interval = &of_cgroup;
	}
	if (2 * rows->nr >= rows->nr_slots && !grow(rows))
		return false;
	slot = find_slot(rows->slot, rows->nr_slots, rows->key, interval);
	row = *slot;
	if (!row) {
		row = calloc(1, sizeof(*row));
		if (!row)
			return false;
		row->pid = interval->pid;
		row->cpu = interval->cpu;
		row->name = interval->name;
		row->device = interval->device;
		*slot = row;
		rows->nr++;
	}
	if (rows->key == ROW_TASK && *interval->comm)
		snprintf(row->comm, sizeof(row->comm), "%s", interval->comm);
	if (!row->lengths.count || length > row->lengths.max)
		row->when = interval->begin;
	return histogram_add(&row->lengths, length);
}

void rows_free(struct rows *rows)
{
	for (size_t i = 0; i < rows->nr_slots; i++) {
		if (!rows->slot[i])
			continue;
		histogram_free(&rows->slot[i]->lengths);
		free(rows->slot[i]);
	}
	free(rows->slot);
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
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

struct row **rows_sorted(const struct rows *rows, enum row_sort sort)
{
	struct row **sorted = calloc(rows->nr + 1, sizeof(*sorted));
	size_t nr = 0;

	for (size_t i = 0; sorted && i < rows->nr_slots; i++)
		if (rows->slot[i])
			sorted[nr++] = rows->slot[i];
	if (sorted)
		qsort_r(sorted, nr, sizeof(*sorted), compare, &sort);
	return sorted;
}
