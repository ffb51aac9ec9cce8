/* SPDX-License-Identifier: GPL-2.0-only */
/* The path of a cgroup, for callers that may not sleep. */
#ifndef RBMAP_COMPAT_CGROUP_H
#define RBMAP_COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/string.h>
#include <linux/types.h>

#include "compat.h"

#ifdef CONFIG_CGROUPS
/**
 * rbmap_cgroup_path_atomic - cgroup_path() without a lock
 * @cgroup: a cgroup of the default hierarchy, where none is renamed or moved
 * @path: filled with the path
 * @size: bytes of @path, at least 2
 *
 * Context: inside of rcu_read_lock(); does not sleep, not even on a real-time kernel.
 * Return: whether the path fits.  If not, the content of @path is undefined.
 */
static inline bool rbmap_cgroup_path_atomic(struct cgroup *cgroup, char *path, size_t size)
{
#ifdef RBMAP_HAVE_KERNFS_RCU_PARENT
	int len = cgroup_path(cgroup, path, size);

	return len >= 0 && len < size;
#else
	const struct kernfs_node *node;
	size_t at = size - 1;

	path[at] = 0;
	/* From the end; a cgroup holds its ancestors.  Each takes two bytes at least. */
	for (node = cgroup->kn; node->parent; node = node->parent) {
		const size_t len = strlen(node->name);

		if (at < len + 1)
			return false;
		at -= len;
		memcpy(path + at, node->name, len);
		path[--at] = '/';
	}
	if (at == size - 1)
		path[--at] = '/';	/* the root */
	memmove(path, path + at, size - at);
	return true;
#endif
}
#endif

#endif /* RBMAP_COMPAT_CGROUP_H */
