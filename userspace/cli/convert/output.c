// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <unistd.h>

#include "output.h"

#define MANY	(256 * 1024)

static int write_all(int fd, const char *data, size_t size)
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

int output_flush(struct output *out)
{
	if (out->data.failed && !out->error)
		out->error = -ENOMEM;
	if (!out->error && out->fd >= 0)
		out->error = write_all(out->fd, out->data.data, out->data.size);
	out->data.size = 0;
	return out->error;
}

int output_go_on(struct output *out)
{
	if (out->data.size < MANY && !out->data.failed)
		return 0;
	return output_flush(out);
}
