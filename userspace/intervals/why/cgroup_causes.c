// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "cgroup_causes.h"

bool cgroup_table_init(struct cgroup_table *table, const struct dat_cgroups *cgroups)
{
	unsigned int nr = cgroups ? dat_cgroups_count(cgroups) : 0;

	*table = (struct cgroup_table){ .cgroups = cgroups, .nr = nr + 1 };
	table->row = calloc(table->nr, sizeof(*table->row));
	for (unsigned int i = 0; table->row && i < nr; i++)
		table->row[i].path = dat_cgroups_path(cgroups, i);
	return table->row;
}

void cgroup_table_free(struct cgroup_table *table)
{
	free(table->row);
	table->row = NULL;
}

void cgroup_table_add(struct cgroup_table *table, int pid, const struct analysis *analysis)
{
	const struct dat_task *task = table->cgroups ? dat_cgroups_find(table->cgroups, pid) : NULL;
	struct cgroup_causes *row = &table->row[task ? task->number : table->nr - 1];

	row->waits++;
	row->time += analysis->time;
	row->others += analysis->others;
	for (unsigned int i = 0; i < analysis->nr_causes; i++)
		row->cause[analysis->cause[i].kind] += analysis->cause[i].time;
}

static int longest_first(const void *a, const void *b)
{
	const struct cgroup_causes *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	if (!x->path || !y->path)
		return !x->path - !y->path;
	return strcmp(x->path, y->path);
}

void cgroup_table_sort(struct cgroup_table *table)
{
	qsort(table->row, table->nr, sizeof(*table->row), longest_first);
	while (table->nr && !table->row[table->nr - 1].waits)
		table->nr--;
}
