// SPDX-License-Identifier: GPL-2.0-only
/* set_event_cgroup: record only the events of the tasks in cgroups, and below these. */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "cgroups.h"
#include "event.h"
#include "event_set.h"
#include "release.h"

#ifdef CONFIG_CGROUPS

static struct cgroup *rbmap_cgroup_find(const char *path)
{
	return cgroup_get_from_path(path);
}

static void rbmap_cgroup_get(struct cgroup *cgroup)
{
	cgroup_get(cgroup);
}

static void rbmap_cgroup_put(struct cgroup *cgroup)
{
	cgroup_put(cgroup);
}

static int rbmap_cgroup_path(struct cgroup *cgroup, char *path, size_t size)
{
	return cgroup_path(cgroup, path, size);
}

#else

static struct cgroup *rbmap_cgroup_find(const char *path)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void rbmap_cgroup_get(struct cgroup *cgroup)
{
}

static void rbmap_cgroup_put(struct cgroup *cgroup)
{
}

static int rbmap_cgroup_path(struct cgroup *cgroup, char *path, size_t size)
{
	return -EOPNOTSUPP;
}

#endif

/**
 * rbmap_event_cgroups_alloc - allocate a list of cgroups
 *
 * Context: may sleep.
 * Return: an empty list, for rbmap_event_cgroups_set() or rbmap_event_cgroups_free();
 * NULL without memory.
 */
struct rbmap_cgroups *rbmap_event_cgroups_alloc(void)
{
	return kzalloc(sizeof(struct rbmap_cgroups), GFP_KERNEL);
}

/**
 * rbmap_event_cgroups_add_path - add a cgroup to a list that no set has yet
 * @cgroups: the list
 * @path: the cgroup's path in the unified hierarchy, as /proc/PID/cgroup shows it; from
 *	Linux 6.1 on, in the cgroup namespace of the caller
 *
 * Context: may sleep.
 * Return: 0; -ENOSPC: the list is full; -EOPNOTSUPP: this kernel has no cgroups; -ENOENT or
 * another error: there is no such cgroup.
 */
int rbmap_event_cgroups_add_path(struct rbmap_cgroups *cgroups, const char *path)
{
	struct cgroup *cgroup;

	if (cgroups->nr == RBMAP_MAX_CGROUPS)
		return -ENOSPC;
	cgroup = rbmap_cgroup_find(path);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	cgroups->cgroup[cgroups->nr++] = cgroup;
	return 0;
}

/**
 * rbmap_event_cgroups_free - free a list that no probe uses
 * @cgroups: the list, or NULL
 *
 * Context: may sleep.
 */
void rbmap_event_cgroups_free(struct rbmap_cgroups *cgroups)
{
	unsigned int i;

	for (i = 0; cgroups && i < cgroups->nr; i++)
		rbmap_cgroup_put(cgroups->cgroup[i]);
	kfree(cgroups);
}

static void rbmap_cgroups_released(struct rbmap_release *release)
{
	rbmap_event_cgroups_free(container_of(release, struct rbmap_cgroups, release));
}

/* The previous list is freed when no probe uses it any more. */
static void rbmap_cgroups_exchange(struct rbmap_event_set *set,
				   struct rbmap_cgroups *cgroups)
{
	struct rbmap_cgroups *old = set->cgroups;

	/* litmus: filter-init, filter-free */
	smp_store_release(&set->cgroups, cgroups);
	rbmap_event_set_update_checks(set);
	if (old)
		rbmap_release_later(&old->release, rbmap_cgroups_released, sizeof(*old));
	rbmap_release_limit();
}

/* A list is never changed while probes use it, so both become a new one. */
static int rbmap_cgroups_append(struct rbmap_cgroups *cgroups, const struct rbmap_cgroups *old)
{
	unsigned int i;

	if (cgroups->nr + old->nr > RBMAP_MAX_CGROUPS)
		return -ENOSPC;
	memmove(cgroups->cgroup + old->nr, cgroups->cgroup,
		cgroups->nr * sizeof(*cgroups->cgroup));
	cgroups->nr += old->nr;
	for (i = 0; i < old->nr; i++) {
		cgroups->cgroup[i] = old->cgroup[i];
		rbmap_cgroup_get(cgroups->cgroup[i]);
	}
	return 0;
}

/**
 * rbmap_event_cgroups_set - set the cgroups of a buffer
 * @set: the buffer's set
 * @cgroups: the list, which belongs to the set then; NULL to stop using a list
 * @add: whether to keep the cgroups of the previous list, too; @cgroups is not NULL
 *
 * Context: may sleep.
 * Return: 0; -ENOSPC: there would be more than RBMAP_MAX_CGROUPS, and nothing has changed.
 */
int rbmap_event_cgroups_set(struct rbmap_event_set *set, struct rbmap_cgroups *cgroups,
			    bool add)
{
	int err = 0;

	mutex_lock(&rbmap_event_files_lock);
	if (add && set->cgroups)
		err = rbmap_cgroups_append(cgroups, set->cgroups);
	if (!err)
		rbmap_cgroups_exchange(set, cgroups);
	mutex_unlock(&rbmap_event_files_lock);
	return err;
}

/* Without the path, a line is "(unknown)": the list is not empty. */
static void rbmap_cgroups_print(const struct rbmap_cgroups *cgroups, char *text)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < cgroups->nr; i++) {
		if (rbmap_cgroup_path(cgroups->cgroup[i], text + len, PATH_MAX) < 0)
			strscpy(text + len, "(unknown)", PATH_MAX);
		len += strlen(text + len);
		text[len++] = '\n';
		text[len] = 0;
	}
}

/**
 * rbmap_event_cgroups_text - get the paths of a buffer's cgroups, one in a line
 * @set: the buffer's set
 *
 * Context: may sleep.
 * Return: the text, for kvfree(); NULL without memory.
 */
char *rbmap_event_cgroups_text(struct rbmap_event_set *set)
{
	/* Each path has up to PATH_MAX - 1 characters, and the newline follows. */
	char *text = kvzalloc(RBMAP_MAX_CGROUPS * PATH_MAX + 1, GFP_KERNEL);

	if (!text)
		return NULL;
	mutex_lock(&rbmap_event_files_lock);
	if (set->cgroups)
		rbmap_cgroups_print(set->cgroups, text);
	mutex_unlock(&rbmap_event_files_lock);
	return text;
}
