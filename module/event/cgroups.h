/* SPDX-License-Identifier: GPL-2.0-only */
/* The cgroups whose tasks are recorded in a buffer. */
#ifndef RBMAP_EVENT_CGROUPS_H
#define RBMAP_EVENT_CGROUPS_H

#include <linux/types.h>

#include "release.h"

struct cgroup;
struct rbmap_event_set;

/* The test of a task takes a step for each. */
#define RBMAP_MAX_CGROUPS	16

/**
 * struct rbmap_cgroups - a list of cgroups of the unified hierarchy (cgroup v2)
 * @release: frees a list that was replaced
 * @nr: number of cgroups
 * @cgroup: the cgroups, with a reference to each.  One that is removed stays in the list,
 *	and has no tasks
 */
struct rbmap_cgroups {
	struct rbmap_release	release;
	unsigned int		nr;
	struct cgroup		*cgroup[RBMAP_MAX_CGROUPS];
};

struct rbmap_cgroups *rbmap_event_cgroups_alloc(void);
int rbmap_event_cgroups_add_path(struct rbmap_cgroups *cgroups, const char *path);
void rbmap_event_cgroups_free(struct rbmap_cgroups *cgroups);
int rbmap_event_cgroups_set(struct rbmap_event_set *set, struct rbmap_cgroups *cgroups,
			    bool add);
char *rbmap_event_cgroups_text(struct rbmap_event_set *set);

#endif /* RBMAP_EVENT_CGROUPS_H */
