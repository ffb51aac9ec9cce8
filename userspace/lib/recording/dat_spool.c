// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat_spool.h"

char *dat_spool_name(const char *file, unsigned int cpu)
{
	char *name;

	return asprintf(&name, "%s.cpu%u", file, cpu) < 0 ? NULL : name;
}

int dat_spool_open(const struct dat_place *place, unsigned int cpu, int flags, uint64_t *size)
{
	struct stat st;
	char *name;
	int fd, ret;

	if (place->dir < 0)
		return -ENOENT;
	name = dat_spool_name(place->name, cpu);
	if (!name)
		return -ENOMEM;
	/* O_NONBLOCK: do not wait for the writer of a FIFO. */
	fd = openat(place->dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
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
