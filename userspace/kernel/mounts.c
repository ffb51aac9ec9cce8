// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>

#include "mounts.h"

void mounts_each(const char *type, void (*see)(const char *path, void *data), void *data)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	/* The kernel writes a blank of a path as four characters. */
	static char line[4 * PATH_MAX + 1024];
	struct mntent entry;

	while (mounts && getmntent_r(mounts, &entry, line, sizeof(line)))
		if (!strcmp(entry.mnt_type, type))
			see(entry.mnt_dir, data);
	if (mounts)
		endmntent(mounts);
}
