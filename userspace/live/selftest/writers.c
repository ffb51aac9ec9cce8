// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/complain.h"
#include "kernel/module_load.h"
#include "writers.h"

#define MODULE	"rbmap_selftest"
#define DEVICE	"/dev/rbmap_selftest"

static bool load(const char *path)
{
	struct module_load m = { .name = MODULE, .command = "rbmap selftest", .path = path };
	char log[1024];
	int ret = -ENOENT;

	if (!access("/sys/module/" MODULE, F_OK))
		return true;
	if (module_load_find(&m)) {
		ret = module_load_insert(&m, NULL, log, sizeof(log));
		/* Another command may have loaded it meanwhile. */
		if (ret == -EEXIST)
			ret = 0;
		if (ret)
			module_load_complain(&m, ret, log);
	}
	module_load_free(&m);
	return ret >= 0;
}

static void complain_open(int error)
{
	switch (error) {
	case EBUSY:
		complain("another selftest is running: wait until it ends");
		break;
	case ENOENT:
		complain("%s does not exist: /dev is not a devtmpfs (in a container, for example)",
			 DEVICE);
		break;
	case EACCES:
	case EPERM:
		complain("no permission to open %s: run 'rbmap selftest' as root", DEVICE);
		break;
	default:
		complain("cannot open %s: %s", DEVICE, strerror(error));
	}
}

int writers_open(const char *path)
{
	int fd;

	if (!load(path))
		return -1;
	fd = open(DEVICE, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		complain_open(errno);
	return fd;
}

void writers_close(int fd)
{
	close(fd);
	module_remove(MODULE);
}

int writers_start(int fd, const char *buffer)
{
	struct rbmap_selftest_start start = { { 0 } };

	snprintf(start.buffer, sizeof(start.buffer), "%s", buffer);
	return ioctl(fd, RBMAP_SELFTEST_START, &start) ? -errno : 0;
}

int writers_stop(int fd)
{
	return ioctl(fd, RBMAP_SELFTEST_STOP) ? -errno : 0;
}

int writers_write_last(int fd)
{
	return ioctl(fd, RBMAP_SELFTEST_LAST) ? -errno : 0;
}

int writers_count(int fd, unsigned int cpu, struct rbmap_selftest_counts *counts)
{
	*counts = (struct rbmap_selftest_counts){ .cpu = cpu };
	return ioctl(fd, RBMAP_SELFTEST_COUNT, counts) ? -errno : 0;
}
