/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a table: intervals of one task, CPU, name or cgroup. */
#ifndef RBMAP_INTERVALS_SUMMARY_ROWS_H
#define RBMAP_INTERVALS_SUMMARY_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "histogram.h"
#include "intervals/intervals.h"

enum row_key { ROW_TASK, ROW_CPU, ROW_NAME, ROW_CGROUP, NR_ROW_KEYS };
enum row_sort { SORT_MAX, SORT_TOTAL, SORT_AVERAGE, SORT_P99, SORT_COUNT };

/**
 * struct row - a row
 * @pid, @comm: ROW_TASK: the task, and its last name
 * @cpu: ROW_CPU
 * @name: ROW_NAME; it belongs to the intervals.  ROW_CGROUP: the path
 * @device: ROW_NAME: the name of the block device, if it is one; or NULL
 * @when: the time at which the longest interval began
 */
struct row {
	int pid;
	int cpu;
	const char *name;
	const char *device;
	char comm[INTERVAL_COMM_SIZE + 1];
	uint64_t when;
	struct histogram lengths;
};

/* Return the path of a task's cgroup. Equal paths have the same address. */
typedef const char *row_cgroup_fn(void *data, int pid);

/* A row in the hash table: it is found without a look into the row. */
struct row_slot {
	uint64_t key;		/* pid, number of the CPU, or address of the name */
	struct row *row;
	bool used;
};

HASH_TABLE(row_table, struct row_slot);

/**
 * struct rows - all rows
 * @cgroup, @data: needed for ROW_CGROUP
 */
struct rows {
	enum row_key key;
	row_cgroup_fn *cgroup;
	void *data;
	struct row_table table;
};

/* The names of the keys, as users choose them. */
extern const char *const row_key_names[NR_ROW_KEYS];

/* Return false if memory is lacking. */
bool rows_add(struct rows *rows, const struct interval *interval);
void rows_free(struct rows *rows);

/* Return all rows, the first one first, or NULL: out of memory. The caller frees the array. */
struct row **rows_sorted(const struct rows *rows, enum row_sort sort);

#endif /* RBMAP_INTERVALS_SUMMARY_ROWS_H */
