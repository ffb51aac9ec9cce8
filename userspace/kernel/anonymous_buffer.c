// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/rbmap.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "anonymous_buffer.h"
#include "control.h"
#include "klog.h"

/* Processes of several PID namespaces can have the same pid. */
#define MAX_NAMES	100

static int create(struct anonymous_buffer *kept, const char *settings, char *told,
		  size_t size)
{
	struct rbmap_create create = { { 0 } };
	int log, ret;

	if (snprintf(create.text, sizeof(create.text), "%s%s%s", kept->name,
		     *settings ? " " : "", settings) >= (int)sizeof(create.text))
		return -E2BIG;
	log = klog_open();
	ret = ioctl(kept->fd, RBMAP_IOCTL_CREATE, &create) ? -errno : 0;
	klog_last(log, told, size);
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
			    const char *settings, char *told, size_t size)
{
	int ret = -EEXIST;

	*told = '\0';
	kept->name[0] = '\0';
	kept->fd = open(CONTROL_DEVICE, O_RDONLY | O_CLOEXEC);
	if (kept->fd < 0)
		return -errno;
	for (int i = 1; ret == -EEXIST && i <= MAX_NAMES; i++) {
		if (i == 1)
			snprintf(kept->name, sizeof(kept->name), "%s-%d",
				 prefix, getpid());
		else
			snprintf(kept->name, sizeof(kept->name), "%s-%d-%d",
				 prefix, getpid(), i);
		ret = create(kept, settings, told, size);
	}
	if (!ret)
		ret = begin_empty(kept);
	if (ret) {
		close(kept->fd);
		kept->name[0] = '\0';
	}
	return ret;
}

void anonymous_buffer_destroy(struct anonymous_buffer *kept)
{
	if (kept->name[0])
		close(kept->fd);
	kept->name[0] = '\0';
}
