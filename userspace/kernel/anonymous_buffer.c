// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/rbmap.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "anonymous_buffer.h"
#include "control.h"

/* Processes of several PID namespaces can have the same pid. */
#define MAX_NAMES	100

/*
 * The buffers of one open file end together, after one wait for all: so all buffers of this
 * process share a file.  A buffer that ends before the others is there until the last one ends.
 */
static struct {
	int fd;
	unsigned int users;
} keeper;

static bool get_keeper(void)
{
	if (!keeper.users)
		keeper.fd = open(CONTROL_DEVICE, O_RDONLY | O_CLOEXEC);
	if (keeper.fd < 0)
		return false;
	keeper.users++;
	return true;
}

static void put_keeper(void)
{
	if (!--keeper.users)
		close(keeper.fd);
}

static int create(const struct anonymous_buffer *kept, const char *settings, char *message,
		  size_t size)
{
	struct rbmap_create create = { { 0 } };
	int log, ret;

	if (snprintf(create.text, sizeof(create.text), "%s%s%s", kept->name,
		     *settings ? " " : "", settings) >= (int)sizeof(create.text))
		return -E2BIG;
	log = klog_open();
	ret = ioctl(keeper.fd, RBMAP_IOCTL_CREATE, &create) ? -errno : 0;
	klog_last(log, message, size);
	return ret;
}

static int write_file(const struct anonymous_buffer *kept, const char *file, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/instances/%s/%s", kept->name, file);
	return control_write(path, value);
}

/* A new buffer records markers. Discard those that were written meanwhile. */
static int begin_empty(const struct anonymous_buffer *kept)
{
	int ret = write_file(kept, "events/rbmap/enable", "0");

	return ret ? ret : write_file(kept, "reset", "1");
}

int anonymous_buffer_create(struct anonymous_buffer *kept, const char *prefix,
			    const char *settings, char *message, size_t size)
{
	int ret = -EEXIST;

	*message = '\0';
	kept->name[0] = '\0';
	if (!get_keeper())
		return -errno;
	for (int i = 1; ret == -EEXIST && i <= MAX_NAMES; i++) {
		if (i == 1)
			snprintf(kept->name, sizeof(kept->name), "%s-%d",
				 prefix, getpid());
		else
			snprintf(kept->name, sizeof(kept->name), "%s-%d-%d",
				 prefix, getpid(), i);
		ret = create(kept, settings, message, size);
	}
	if (!ret)
		ret = begin_empty(kept);
	if (ret) {
		put_keeper();
		kept->name[0] = '\0';
	}
	return ret;
}

void anonymous_buffer_destroy(struct anonymous_buffer *kept)
{
	if (kept->name[0])
		put_keeper();
	kept->name[0] = '\0';
}
