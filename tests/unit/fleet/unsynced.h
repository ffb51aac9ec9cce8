/* SPDX-License-Identifier: GPL-2.0-only */
/* A disk on which fsync() of one file or folder fails */
#ifndef UNSYNCED_H
#define UNSYNCED_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *unsynced;	/* the end of its path; NULL: all can be synced */

static void path_of(int fd, char path[256])
{
	char link[64];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, path, 255);
	path[size < 0 ? 0 : size] = '\0';
}

int fsync(int fd)
{
	size_t end = unsynced ? strlen(unsynced) : 0, size;
	char path[256];

	path_of(fd, path);
	size = strlen(path);
	if (end && size > end && !strcmp(path + size - end, unsynced)) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_fsync, fd);
}

#endif /* UNSYNCED_H */
