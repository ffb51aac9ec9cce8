// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/dat_spool.h"
#include "spool_files.h"

bool dat_spool_is_name(const char *name, const char *file)
{
	size_t len = strlen(file);

	return !strncmp(name, file, len) && !strncmp(name + len, ".cpu", 4);
}

int dat_spool_create(int dir, const char *file, unsigned int cpu)
{
	char *name = dat_spool_name(file, cpu);
	int fd = -ENOMEM;

	if (!name)
		return fd;
	/* Follow no link that another user has put into a shared directory. */
	if (unlinkat(dir, name, 0) && errno != ENOENT)
		fd = -errno;
	else if ((fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0)
		fd = -errno;
	free(name);
	return fd;
}

int dat_spool_rename(int dir, const char *file, const char *to, unsigned int nr_cpus)
{
	int ret = 0;

	for (unsigned int cpu = 0; !ret && cpu < nr_cpus; cpu++) {
		char *old = dat_spool_name(file, cpu), *new = dat_spool_name(to, cpu);

		if (!old || !new)
			ret = -ENOMEM;
		else if (renameat(dir, old, dir, new))
			ret = -errno;
		free(old);
		free(new);
	}
	return ret;
}

void dat_spool_remove(int dir, const char *file, unsigned int nr_cpus)
{
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++) {
		char *name = dat_spool_name(file, cpu);

		if (name)
			unlinkat(dir, name, 0);
		free(name);
	}
}
