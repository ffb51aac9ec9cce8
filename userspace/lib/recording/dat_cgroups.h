/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The cgroups of the recorded tasks, and their pids in their own namespaces. A recording has
 * them as a text of DAT_OPTION_CPUSTAT, which other programs skip or show:
 *
 *	rbmap cgroups
 *	/system.slice/web.service: 12 14 15:1
 *
 * 15:1 is the task 15, which is 1 in its own namespace. A task that has changed its cgroup has
 * the last one.
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
