// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rights that depend on more than the file's mode: on who opened it, and on who
 * uses it.
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

/* Drop root's capabilities; seteuid(0) restores them. */
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
	is_error(put(fd, line), 0, "root creates an event");
	is_error(put(fd, gone), 0, "root removes the event");
	be_user();
	is_error(put(fd, line), EPERM,
		 "a user cannot create an event in a file that root opened");
	be_root();
	close(fd);

	chmod(DYNAMIC, 0666);
	be_user();
	fd = open(DYNAMIC, O_WRONLY);
	ok(fd >= 0, "a user opens dynamic_events");
	is_error(put(fd, line), EPERM,
		 "a user cannot create an event in a file of his own");
	be_root();
	is_error(put(fd, line), EPERM,
		 "root cannot create an event in a file that a user opened");
	close(fd);
	chmod(DYNAMIC, 0600);
}

static void test_snapshot(void)
{
	int fd = device_open(0, O_RDONLY | O_NONBLOCK), snapshot;
	void *map;

	be_user();
	snapshot = ioctl(fd, RBMAP_IOCTL_SNAPSHOT);
	is_error(snapshot < 0 ? errno : 0, EPERM,
		 "a user cannot take a snapshot");
	is_error(open("/dev/rbmap/cpu0", O_RDONLY) < 0 ? errno : 0, EACCES,
		 "a user cannot open a ring");
	is_error(open("/dev/rbmap/marker", O_WRONLY) < 0 ? errno : 0, EACCES,
		 "a user cannot open the marker");
	map = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ok(map != MAP_FAILED, "a user can map a ring that root opened");
	is_error(mprotect(map, 1, PROT_READ | PROT_WRITE) ? errno : 0, EACCES,
		 "a user cannot make the map writable");
	be_root();
	snapshot = ioctl(fd, RBMAP_IOCTL_SNAPSHOT);
	ok(snapshot >= 0, "root takes a snapshot");
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
