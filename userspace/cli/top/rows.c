// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "rows.h"

const char *const row_key_name[NR_ROW_KEYS] = { "event", "task", "cpu", "cgroup" };
const char *const row_sort_name[NR_ROW_SORTS] = { "rate", "name" };

/* A count with its place in the table: the row, and what most of the row may have in common. */
struct part {
	int key;
	int other;
	uint64_t events;
};

static struct part part_of(const struct count *count, enum row_key key,
			   const struct row_names *names)
{
	struct part part = { .other = count->id, .events = count->events };

	switch (key) {
	case ROW_TASK:
		part.key = count->pid;
		break;
	case ROW_CPU:
		part.key = count->cpu;
		break;
	case ROW_CGROUP:
		part.key = count->pid < 0 ? -1 : names->cgroup(names->data, count->pid);
		break;
	default:
		part.key = count->id;
		part.other = count->pid;
		break;
	}
	return part;
}

static int by_key(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->other > y->other) - (x->other < y->other);
}

static int by_rate(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->key > y->key) - (x->key < y->key);
}

static int by_cpu(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* The end of a long path says most. */
static void name_path(const char *path, char *name)
{
	const char *next;

	while (strlen(path) * PRINTABLE_MAX >= ROW_NAME_SIZE && (next = strchr(path + 1, '/')))
		path = next;
	if (strlen(path) * PRINTABLE_MAX >= ROW_NAME_SIZE)
		path += strlen(path) - (ROW_NAME_SIZE - 1) / PRINTABLE_MAX;
	*put_printable(name, path, strlen(path)) = '\0';
}

static void name_key(const struct row_names *names, enum row_key key, int value, char *name)
{
	if (value < 0)
		snprintf(name, ROW_NAME_SIZE, "(others)");
	else if (key == ROW_EVENT)
		names->event(names->data, value, name, ROW_NAME_SIZE);
	else if (key == ROW_TASK)
		names->task(names->data, value, name, ROW_NAME_SIZE);
	else if (key == ROW_CGROUP)
		name_path(names->path(names->data, value), name);
	else
		snprintf(name, ROW_NAME_SIZE, "%d", value);
}

/* Make a row of the parts that have its key. Return how many these are. */
static size_t make_row(struct row *row, const struct part *part, size_t nr, enum row_key key,
		       const struct row_names *names)
{
	uint64_t events = 0;
	int most = -1;
	size_t i;

	*row = (struct row){ .key = part[0].key };
	for (i = 0; i < nr && part[i].key == row->key; i++) {
		events = i && part[i].other == part[i - 1].other ? events + part[i].events :
								   part[i].events;
		row->events += part[i].events;
		if (events > row->most_events) {
			row->most_events = events;
			most = part[i].other;
		}
	}
	name_key(names, key, row->key, row->name);
	if (key == ROW_CGROUP && row->key >= 0)
		row->path = names->path(names->data, row->key);
	name_key(names, key == ROW_EVENT ? ROW_TASK : ROW_EVENT, most, row->most);
	return i;
}

struct row *rows_make(const struct counts *counts, enum row_key key, enum row_sort sort,
		      const char *search, const struct row_names *names, size_t *nr)
{
	size_t nr_parts, at = 0;
	const struct count *count = counts_all(counts, &nr_parts);
	struct part *part = calloc(nr_parts + 1, sizeof(*part));
	struct row *row = NULL;
	size_t nr_keys = 0;

	*nr = 0;
	for (size_t i = 0; part && i < nr_parts; i++)
		part[i] = part_of(&count[i], key, names);
	if (part) {
		qsort(part, nr_parts, sizeof(*part), by_key);
		for (size_t i = 0; i < nr_parts; i++)
			nr_keys += !i || part[i].key != part[i - 1].key;
		row = calloc(nr_keys + 1, sizeof(*row));
	}
	while (row && at < nr_parts) {
		at += make_row(&row[*nr], part + at, nr_parts - at, key, names);
		if (strcasestr(row[*nr].name, search))
			++*nr;
	}
	free(part);
	if (row)
		qsort(row, *nr, sizeof(*row), sort == SORT_RATE ? by_rate :
		      key == ROW_CPU ? by_cpu : by_name);
	return row;
}
