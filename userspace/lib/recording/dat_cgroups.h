/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The cgroups of the recorded tasks, and their pids in their own namespaces. A recording has
 * them as a text of DAT_OPTION_CPUSTAT, which other programs skip or show:
 *
 *	rbmap cgroups
 *	quota 10000 100000 /system.slice/web.service
 *	quota max 100000 /init.scope
 *	/system.slice/web.service: 12 14 15:1
 *
 * 15:1 is the task 15, which is 1 in its own namespace. A task that has changed its cgroup has
 * the last one. The quota is that of cpu.max when the recording ended.
 */
#ifndef RBMAP_DAT_CGROUPS_H
#define RBMAP_DAT_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dat_cgroups;

/**
 * struct dat_task - a task of a recording
 * @pid: its number in events
 * @ns_pid: its number in its own PID namespace; 0: not known, or the same
 * @cgroup: path of its cgroup, valid until the table is freed
 * @number: number of the cgroup in the table, from 0 on; dat_cgroups_learn() sets it
 * @ts: when it was in that cgroup
 */
struct dat_task {
	bool used;
	int pid;
	int ns_pid;
	const char *cgroup;
	unsigned int number;
	uint64_t ts;
};

/**
 * struct dat_quota - the CPU time that a cgroup may use
 * @cgroup: its path, valid until the table is freed
 * @quota, @period: so many us of each period; DAT_QUOTA_MAX: as much as it wants
 */
struct dat_quota {
	const char *cgroup;
	uint64_t quota, period;
};

#define DAT_QUOTA_MAX	UINT64_MAX

/* NULL: no memory */
struct dat_cgroups *dat_cgroups_new(void);
void dat_cgroups_free(struct dat_cgroups *cgroups);

/* Later times win. @task->cgroup is copied. Return 0 or -ENOMEM. */
int dat_cgroups_learn(struct dat_cgroups *cgroups, const struct dat_task *task);
int dat_cgroups_merge(struct dat_cgroups *to, const struct dat_cgroups *from);

/* Return the task of a pid, or NULL: its cgroup is not known. */
const struct dat_task *dat_cgroups_find(const struct dat_cgroups *cgroups, int pid);

/* Return the number of cgroups, and the path of one by its number. */
unsigned int dat_cgroups_count(const struct dat_cgroups *cgroups);
const char *dat_cgroups_path(const struct dat_cgroups *cgroups, unsigned int number);

/* Set the quota of a cgroup, which may have no tasks. @quota->cgroup is copied. */
int dat_cgroups_set_quota(struct dat_cgroups *cgroups, const struct dat_quota *quota);

/*
 * Find the quota that holds for a cgroup: its own, or that of the nearest one above it. Return
 * 1; 0: none of them has one; -ENOENT: that is not known.
 */
int dat_cgroups_quota(const struct dat_cgroups *cgroups, const char *path,
		      struct dat_quota *quota);

/* Return the own quota of a cgroup; NULL: not known. */
const struct dat_quota *dat_cgroups_own_quota(const struct dat_cgroups *cgroups, const char *path);

/*
 * Return all tasks, by cgroup and then by number, for free(); NULL: no memory. A cgroup has
 * the same pointer in all its tasks.
 */
const struct dat_task **dat_cgroups_sorted(const struct dat_cgroups *cgroups, size_t *nr);

/* The first line of the text. */
#define DAT_CGROUPS_HEAD	"rbmap cgroups\n"

/* Add the tasks of a text. Return 1; 0: it is another kind of text; -ENOMEM. */
int dat_cgroups_parse(struct dat_cgroups *cgroups, const char *text);

/* Is the cgroup @path the cgroup @above, or below it? */
bool dat_cgroup_is_below(const char *path, const char *above);

#endif /* RBMAP_DAT_CGROUPS_H */
