/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of the table: the counts, added up by event, task, CPU or cgroup. */
#ifndef RBMAP_CLI_TOP_ROWS_H
#define RBMAP_CLI_TOP_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "counts.h"

enum row_key { ROW_EVENT, ROW_TASK, ROW_CPU, ROW_CGROUP, NR_ROW_KEYS };
enum row_sort { SORT_RATE, SORT_NAME, NR_ROW_SORTS };

extern const char *const row_key_name[NR_ROW_KEYS];
extern const char *const row_sort_name[NR_ROW_SORTS];

#define ROW_NAME_SIZE	128

/**
 * struct row - a row
 * @key: the event's id, the pid, the CPU or the number of the cgroup; -1: all events that the
 * counts have no room for
 * @events: number of events in the interval
 * @path: the cgroup's path, of which @name may have the end alone; NULL for another row
 * @most: the task that wrote an event most, or the event that the others wrote most
 * @most_events: how many these are
 */
struct row {
	int key;
	uint64_t events;
	char name[ROW_NAME_SIZE];
	const char *path;
	char most[ROW_NAME_SIZE];
	uint64_t most_events;
};

/*
 * Names are printable. A function stores at most @size bytes, the last one is 0. @cgroup
 * returns the number of a task's cgroup, and @path its path, which is valid as long as @data.
 */
struct row_names {
	void (*event)(void *data, int id, char *name, size_t size);
	void (*task)(void *data, int pid, char *name, size_t size);
	int (*cgroup)(void *data, int pid);
	const char *(*path)(void *data, int number);
	void *data;
};

/*
 * Return an array of rows, which the caller frees; NULL: out of memory. @search: only rows
 * with a name that contains this text in any case; "": all.
 */
struct row *rows_make(const struct counts *counts, enum row_key key, enum row_sort sort,
		      const char *search, const struct row_names *names, size_t *nr);

#endif /* RBMAP_CLI_TOP_ROWS_H */
