/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_ADMIN_SETUP_SETUP_HOSTS_H
#define RBMAP_FLEET_ADMIN_SETUP_SETUP_HOSTS_H

#include <stdbool.h>

/* Return false to stop, after an error that was reported. */
typedef bool use_host_fn(void *data, const char *host);

/*
 * Use each host of a list "NAME,..." or of a file, whose name has a slash or which is
 * there: a name in each line, # begins a comment. Errors are reported.
 */
bool hosts_each_named(const char *list, use_host_fn *use, void *data);

/* Use each folder in @dir with a valid name, in the order of their names. */
bool hosts_each_folder(int dir, use_host_fn *use, void *data);

#endif /* RBMAP_FLEET_ADMIN_SETUP_SETUP_HOSTS_H */
