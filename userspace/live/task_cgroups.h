/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cgroups of tasks, and their pids in their own namespaces: of all tasks that there are,
 * and of those that begin and end meanwhile.
 */
#ifndef RBMAP_LIVE_TASK_CGROUPS_H
#define RBMAP_LIVE_TASK_CGROUPS_H

#include <stdbool.h>
#include <rbmap.h>

#include "recording/dat_cgroups.h"

/* Store the cgroups that the tasks of /proc have now, unless /proc is another namespace's. */
void task_cgroups_scan(struct dat_cgroups *cgroups);

/* Store the cgroup of one task of /proc. Return whether it has one. */
bool task_cgroups_ask(struct dat_cgroups *cgroups, int pid);

/* Store what rbmap_task:begin or rbmap_task:end says. Other events say nothing. */
void task_cgroups_learn_event(struct dat_cgroups *cgroups, const struct rbmap_formats *formats,
			      const struct rbmap_event *event);

/* Learn the CPU quotas that the cgroups of the table, and those above them, have now. */
void task_cgroups_read_quotas(struct dat_cgroups *cgroups);

#endif /* RBMAP_LIVE_TASK_CGROUPS_H */
