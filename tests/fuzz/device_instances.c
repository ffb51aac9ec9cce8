// SPDX-License-Identifier: GPL-2.0-only
/* Create and destroy named buffers while their files are open. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device.h"

#define INSTANCES	"/sys/kernel/rbmap/instances/"
#define NR_INSTANCES	3

bool do_instance_create(void)
{
	char text[128];
	int len;

	len = snprintf(text, sizeof(text), "fuzz%u buffer_size_kb=%u",
		       pick(NR_INSTANCES), 8U << pick(6));
	if (pick(2))
		snprintf(text + len, sizeof(text) - len,
			 " subbuf_size_kb=%u overwrite=%u clock=%s",
			 4U << pick(4), pick(2), pick(2) ? "mono" : "local");
	return write_file(INSTANCES "create", text);
}

bool do_instance_destroy(void)
{
	char text[32];

	snprintf(text, sizeof(text), "fuzz%u", pick(NR_INSTANCES));
	return write_file(INSTANCES "destroy", text);
}

/*
 * Open a device or the marker of a named buffer, and keep it among the common
 * files or close it.
 */
bool do_instance_open(void)
{
	char name[16], path[96];
	int fd;

	snprintf(name, sizeof(name), "fuzz%u", pick(NR_INSTANCES));
	switch (pick(4)) {
	case 0:
		device_path(path, sizeof(path), name, "marker");
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd >= 0 && write(fd, "fuzz", 4) < 0)
			/* The event is disabled; the step only needs the file. */
			(void)!write(fd, "", 0);
		break;
	case 1:
		device_path(path, sizeof(path), name, "snapshot/cpu");
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		break;
	default:
		device_path(path, sizeof(path), name, "cpu");
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	}
	if (fd < 0)
		return false;
	/*
	 * An instance with an open file cannot be destroyed: mostly close the
	 * file soon.
	 */
	if (pick(3))
		close(fd);
	else
		keep_file(fd);
	return true;
}
