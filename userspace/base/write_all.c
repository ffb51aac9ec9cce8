// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <unistd.h>

#include "write_all.h"

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
