/* SPDX-License-Identifier: GPL-2.0-only */
/* The causes of waits, summed up for each cgroup. */
#ifndef RBMAP_INTERVALS_WHY_CGROUP_CAUSES_H
#define RBMAP_INTERVALS_WHY_CGROUP_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cause.h"
#include "recording/dat_cgroups.h"

/**
 * struct cgroup_causes - the waits of a cgroup's tasks
 * @path: the cgroup; NULL: the tasks whose cgroup is not known
 * @time: sum of the waits
 * @cause: the time of each kind of cause
 * @others: time of causes that had no room in the analysis of a wait
 */
struct cgroup_causes {
	const char *path;
	unsigned int waits;
	uint64_t time;
	uint64_t cause[NR_CAUSE_KINDS];
	uint64_t others;
};

/* @cgroups belongs to the caller; NULL: the recording has none. */
struct cgroup_table {
	const struct dat_cgroups *cgroups;
	struct cgroup_causes *row;	/* by the number of the cgroup; the last one has no path */
	size_t nr;
};

/* Return false if memory is lacking. */
bool cgroup_table_init(struct cgroup_table *table, const struct dat_cgroups *cgroups);
void cgroup_table_free(struct cgroup_table *table);

void cgroup_table_add(struct cgroup_table *table, int pid, const struct analysis *analysis);

/* Order the rows by their time, the largest first, and leave out those without waits. */
void cgroup_table_sort(struct cgroup_table *table);

#endif /* RBMAP_INTERVALS_WHY_CGROUP_CAUSES_H */
