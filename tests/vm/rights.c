// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rights that a file alone does not give: who has opened it, and who uses it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define DYNAMIC	"/sys/kernel/rbmap/dynamic_events"
#define USER	1000

static const char line[] = "t:rights/event softirq_entry";
static const char gone[] = "-:rights/event";

static int put(int fd, const char *text)
{
	return write(fd, text, strlen(text)) < 0 ? errno : 0;
}

/* Without root's capabilities, which seteuid(0) gives back. */
static void be_user(void)
{
	if (seteuid(USER))
		bail_out("seteuid: %s", error_name(errno));
}

static void be_root(void)
{
	if (seteuid(0))
		bail_out("seteuid: %s", error_name(errno));
}

static void test_dynamic_events(void)
{
	int fd;

	fd = open(DYNAMIC, O_WRONLY);
	is_error(put(fd, line), 0, "root makes an event");
	is_error(put(fd, gone), 0, "and removes it");
	be_user();
	is_error(put(fd, line), EPERM, "a user does not, where root has opened");
	be_root();
	close(fd);

	chmod(DYNAMIC, 0666);
	be_user();
	fd = open(DYNAMIC, O_WRONLY);
	ok(fd >= 0, "a user has opened it");
	is_error(put(fd, line), EPERM, "and does not make an event");
	be_root();
	is_error(put(fd, line), EPERM, "nor does root, where a user has opened");
	close(fd);
	chmod(DYNAMIC, 0600);
}

static void test_snapshot(void)
{
	int fd = device_open(0, O_RDONLY | O_NONBLOCK), snapshot;
	void *map;

	be_user();
	snapshot = ioctl(fd, RBMAP_IOCTL_SNAPSHOT);
	is_error(snapshot < 0 ? errno : 0, EPERM, "a user takes no snapshot");
	is_error(open("/dev/rbmap/cpu0", O_RDONLY) < 0 ? errno : 0, EACCES,
		 "nor opens a ring");
	is_error(open("/dev/rbmap/marker", O_WRONLY) < 0 ? errno : 0, EACCES,
		 "nor the marker");
	map = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ok(map != MAP_FAILED, "but maps what was opened");
	is_error(mprotect(map, 1, PROT_READ | PROT_WRITE) ? errno : 0, EACCES,
		 "and does not write there");
	be_root();
	snapshot = ioctl(fd, RBMAP_IOCTL_SNAPSHOT);
	ok(snapshot >= 0, "root takes one");
	close(snapshot);
	close(fd);
}

int main(int argc, char **argv)
{
	target_options(argc, argv);
	if (setegid(USER))
		bail_out("setegid: %s", error_name(errno));
	test_dynamic_events();
	test_snapshot();
	return done_testing();
}
