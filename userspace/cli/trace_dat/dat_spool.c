// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat_spool.h"

/* The caller frees the name. */
static char *name_of(const char *file, unsigned int cpu)
{
	char *name;

	return asprintf(&name, "%s.cpu%u", file, cpu) < 0 ? NULL : name;
}

bool dat_spool_is_name(const char *name, const char *file)
{
	size_t len = strlen(file);

	return !strncmp(name, file, len) && !strncmp(name + len, ".cpu", 4);
}

int dat_spool_create(const char *file, unsigned int cpu)
{
	char *name = name_of(file, cpu);
	int fd = -ENOMEM;

	if (!name)
		return fd;
	/* Follow no link that another user has put into a shared directory. */
	if (unlink(name) && errno != ENOENT)
		fd = -errno;
	else if ((fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0)
		fd = -errno;
	free(name);
	return fd;
}

int dat_spool_open(const char *file, unsigned int cpu, int flags, uint64_t *size)
{
	char *name = name_of(file, cpu);
	struct stat st;
	int fd, ret;

	if (!name)
		return -ENOMEM;
	/* O_NONBLOCK: do not wait for the writer of a FIFO. */
	fd = open(name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ret = fd < 0 ? -errno : 0;
	free(name);
	if (ret)
		return ret;
	if (fstat(fd, &st))
		ret = -errno;
	else if (!S_ISREG(st.st_mode))
		ret = -EINVAL;
	if (ret) {
		close(fd);
		return ret;
	}
	*size = st.st_size;
	return fd;
}

int dat_spool_rename(const char *file, const char *to, unsigned int nr_cpus)
{
	int ret = 0;

	for (unsigned int cpu = 0; !ret && cpu < nr_cpus; cpu++) {
		char *old = name_of(file, cpu), *new = name_of(to, cpu);

		if (!old || !new)
			ret = -ENOMEM;
		else if (rename(old, new))
			ret = -errno;
		free(old);
		free(new);
	}
	return ret;
}

void dat_spool_remove(const char *file, unsigned int nr_cpus)
{
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++) {
		char *name = name_of(file, cpu);

		if (name)
			unlink(name);
		free(name);
	}
}
