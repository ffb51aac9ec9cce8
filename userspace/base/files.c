// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <unistd.h>

#include "files.h"

int write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t done = write(fd, data, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		data += done;
		size -= done;
	}
	return 0;
}

int write_all_at(int fd, const void *data, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t put = pwrite(fd, data, size, offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		data = (const char *)data + put;
		size -= put;
		offset += put;
	}
	return 0;
}

int read_all_at(int fd, void *data, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t got = pread(fd, data, size, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EBADMSG;
		data = (char *)data + got;
		size -= got;
		offset += got;
	}
	return 0;
}
