// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "dat_cgroups.h"

#define HEAD		DAT_CGROUPS_HEAD
#define QUOTA		"quota "
#define FIRST_TASKS	256
#define FIRST_PATHS	16

/* Each path is there once. quota.cgroup: NULL: its quota is not known. */
struct path {
	bool used;
	char *text;
	unsigned int number;
	struct dat_quota quota;
};

#define task_has(task, key)	((task)->pid == (key))
#define task_pid(task)		((task)->pid)
HASH_TABLE(tasks, struct dat_task);
HASH_FUNCTIONS(tasks, struct dat_task, int, FIRST_TASKS, hash_u32, task_has, task_pid);

#define path_is(path, key)	(!strcmp((path)->text, (key)))
#define path_text(path)		((path)->text)
HASH_TABLE(paths, struct path);
HASH_FUNCTIONS(paths, struct path, const char *, FIRST_PATHS, hash_text, path_is, path_text);

struct dat_cgroups {
	struct tasks tasks;
	struct paths paths;
	const char **by_number;		/* the texts of @paths */
};

struct dat_cgroups *dat_cgroups_new(void)
{
	return calloc(1, sizeof(struct dat_cgroups));
}

void dat_cgroups_free(struct dat_cgroups *cgroups)
{
	struct path *path;

	if (!cgroups)
		return;
	hash_for_each(&cgroups->paths, path)
		free(path->text);
	free(cgroups->paths.slot);
	free(cgroups->by_number);
	free(cgroups->tasks.slot);
	free(cgroups);
}

/* Return the table's own entry of a path, or NULL: no memory. It is valid until the next call. */
static struct path *keep_path(struct dat_cgroups *cgroups, const char *text)
{
	struct path *path = paths_place(&cgroups->paths, text);

	if (!path || path->used)
		return path;
	if (!array_grow(cgroups->by_number, cgroups->paths.nr))
		return NULL;
	path->text = strdup(text);
	if (!path->text)
		return NULL;
	path->used = true;
	path->number = cgroups->paths.nr++;
	cgroups->by_number[path->number] = path->text;
	return path;
}

unsigned int dat_cgroups_count(const struct dat_cgroups *cgroups)
{
	return cgroups->paths.nr;
}

const char *dat_cgroups_path(const struct dat_cgroups *cgroups, unsigned int number)
{
	return cgroups->by_number[number];
}

/* @path: the table's own entry of task->cgroup, or NULL: no memory */
static int learn(struct dat_cgroups *cgroups, const struct dat_task *task, const struct path *path)
{
	struct dat_task *place = path ? tasks_place(&cgroups->tasks, task->pid) : NULL;
	int ns_pid = task->ns_pid;

	if (!place)
		return -ENOMEM;
	/* The events of CPUs come one CPU after the other: a task's end can come before. */
	if (place->used && place->ts > task->ts) {
		place->ns_pid = place->ns_pid ? place->ns_pid : ns_pid;
		return 0;
	}
	if (place->used && !ns_pid)
		ns_pid = place->ns_pid;
	cgroups->tasks.nr += !place->used;
	*place = *task;
	place->used = true;
	place->ns_pid = ns_pid;
	place->cgroup = path->text;
	place->number = path->number;
	return 0;
}

int dat_cgroups_learn(struct dat_cgroups *cgroups, const struct dat_task *task)
{
	return learn(cgroups, task, keep_path(cgroups, task->cgroup));
}

int dat_cgroups_set_quota(struct dat_cgroups *cgroups, const struct dat_quota *quota)
{
	struct path *path = keep_path(cgroups, quota->cgroup);

	if (!path)
		return -ENOMEM;
	path->quota = *quota;
	path->quota.cgroup = path->text;
	return 0;
}

const struct dat_quota *dat_cgroups_own_quota(const struct dat_cgroups *cgroups, const char *path)
{
	const struct path *found = paths_find(&cgroups->paths, path);

	return found && found->quota.cgroup ? &found->quota : NULL;
}

int dat_cgroups_quota(const struct dat_cgroups *cgroups, const char *path,
		      struct dat_quota *quota)
{
	char *above = strdup(path), *end;
	int ret = -ENOENT;

	/* The path itself must be known, or else a group that has gone may have had a quota. */
	for (bool own = true; above && *above; own = false) {
		const struct dat_quota *found = dat_cgroups_own_quota(cgroups, above);

		if (found && found->quota != DAT_QUOTA_MAX) {
			*quota = *found;
			ret = 1;
			break;
		}
		if (found && own)
			ret = 0;
		end = strrchr(above, '/');
		if (!end)
			break;
		*end = '\0';
	}
	free(above);
	return ret;
}

int dat_cgroups_merge(struct dat_cgroups *to, const struct dat_cgroups *from)
{
	const struct dat_task *task;
	int ret = 0;

	hash_for_each(&from->tasks, task)
		if (!ret)
			ret = dat_cgroups_learn(to, task);
	return ret;
}

const struct dat_task *dat_cgroups_find(const struct dat_cgroups *cgroups, int pid)
{
	return tasks_find(&cgroups->tasks, pid);
}

/* ---- the text */

/* By cgroup, then by number, so that a cgroup has one line. */
static int compare_tasks(const void *a, const void *b)
{
	const struct dat_task *x = *(const struct dat_task *const *)a;
	const struct dat_task *y = *(const struct dat_task *const *)b;
	int order = x->cgroup == y->cgroup ? 0 : strcmp(x->cgroup, y->cgroup);

	return order ? order : (x->pid > y->pid) - (x->pid < y->pid);
}

const struct dat_task **dat_cgroups_sorted(const struct dat_cgroups *cgroups, size_t *nr)
{
	const struct dat_task **sorted =
		(const struct dat_task **)hash_sorted(&cgroups->tasks, compare_tasks);

	*nr = sorted ? cgroups->tasks.nr : 0;
	return sorted;
}

/* Numbers are digits, blanks and colons alone, so the last ": " is behind the path. */
static char *end_of_path(char *line)
{
	char *end = NULL, *at = line;

	while ((at = strstr(at, ": ")))
		end = at++;
	return end;
}

/* A line has many tasks and one path, which is looked up for the first task alone. */
static int parse_tasks(struct dat_cgroups *cgroups, struct dat_task *task, const char *numbers)
{
	const struct path *path = NULL;
	char *end;
	int ret = 0;

	while (!ret) {
		long pid = strtol(numbers, &end, 10), ns_pid = 0;

		if (end == numbers || pid <= 0 || pid > INT32_MAX)
			break;
		if (*end == ':')
			ns_pid = strtol(end + 1, &end, 10);
		task->pid = pid;
		task->ns_pid = ns_pid > 0 && ns_pid <= INT32_MAX ? ns_pid : 0;
		path = path ? path : keep_path(cgroups, task->cgroup);
		ret = learn(cgroups, task, path);
		numbers = end;
	}
	return ret;
}

/* "10000 100000 /PATH": the first word may be max. */
static int parse_quota(struct dat_cgroups *cgroups, const char *line)
{
	struct dat_quota quota = { .quota = DAT_QUOTA_MAX };
	char word[24];
	int path = 0;

	if (sscanf(line, "%23s %" SCNu64 " %n", word, &quota.period, &path) != 2 || !path ||
	    line[path] != '/' || strlen(line + path) >= PATH_MAX || !quota.period)
		return 0;
	if (strcmp(word, "max") && (sscanf(word, "%" SCNu64, &quota.quota) != 1 || !quota.quota))
		return 0;
	quota.cgroup = line + path;
	return dat_cgroups_set_quota(cgroups, &quota);
}

int dat_cgroups_parse(struct dat_cgroups *cgroups, const char *text)
{
	char *copy, *rest, *line, *end;
	int ret = 0;

	if (strncmp(text, HEAD, strlen(HEAD)))
		return 0;
	copy = rest = strdup(text + strlen(HEAD));
	if (!copy)
		return -ENOMEM;
	while (!ret && (line = strsep(&rest, "\n"))) {
		struct dat_task task = { .cgroup = line };

		if (!strncmp(line, QUOTA, strlen(QUOTA))) {
			ret = parse_quota(cgroups, line + strlen(QUOTA));
			continue;
		}
		end = end_of_path(line);
		if (*line != '/' || !end || end - line >= PATH_MAX)
			continue;
		*end = '\0';
		ret = parse_tasks(cgroups, &task, end + 1);
	}
	free(copy);
	return ret ? ret : 1;
}

bool dat_cgroup_is_below(const char *path, const char *above)
{
	size_t len = strlen(above);

	while (len && above[len - 1] == '/')
		len--;
	return !strncmp(path, above, len) && (!path[len] || path[len] == '/');
}
