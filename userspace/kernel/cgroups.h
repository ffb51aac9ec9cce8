/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cgroups of version 2, by their path and by the names of what runs in them. Functions that
 * return NULL have reported the error. The caller frees the path, which begins with / and is
 * relative to the hierarchy's root, as in /proc/PID/cgroup.
 */
#ifndef RBMAP_KERNEL_CGROUPS_H
#define RBMAP_KERNEL_CGROUPS_H

/* Return the directory on which the hierarchy is mounted, or NULL: none is, or no memory. */
char *cgroup_mount(void);

/* @name: a path as above, with or without the first /, or the path of the directory */
char *cgroup_of_path(const char *name);

/* @name: a unit of systemd; without a suffix a service, or else a scope or a slice */
char *cgroup_of_unit(const char *name);

/*
 * @name: a container's name, or the beginning of its id, six digits at least. Docker, podman
 * and nerdctl are asked for the id of a name.
 */
char *cgroup_of_container(const char *name);

#endif /* RBMAP_KERNEL_CGROUPS_H */
