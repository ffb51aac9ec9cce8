// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of many buffers waits as often as that of one.
 *
 *	ends N
 *
 * failing.ko is loaded and counts the waits of processes. N buffers end with a file, and N with the
 * module, which is loaded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/rbmap.h>

#include "tap.h"

#define PARAMETERS	"/sys/module/failing/parameters/"
#define INSTANCES	"/sys/kernel/rbmap/instances/"
/* One round of calls: tracepoints wait for one or two kinds of readers. */
#define WAITS_MAX	4

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		bail_out("%s: %s", path, strerror(errno));
	close(fd);
}

/* Return the number of waits since the last call. */
static unsigned int waits(void)
{
	char calls[4096];
	int fd = open(PARAMETERS "calls", O_RDONLY | O_CLOEXEC);
	ssize_t len = read(fd, calls, sizeof(calls) - 1);
	unsigned int nr = 0;

	if (len < 0)
		bail_out("calls: %s", strerror(errno));
	close(fd);
	while (len--)
		nr += calls[len] == '\n';
	put(PARAMETERS "nth", "0");
	return nr;
}

static void enable(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), INSTANCES "%s/events/sched/sched_switch/enable", name);
	put(path, "1");
}

static void at_most(unsigned int nr, const char *what)
{
	ok(nr && nr <= WAITS_MAX, "%s: %u waits for a grace period", what, nr);
}

static void end_with_file(unsigned int count)
{
	int fd = open("/dev/rbmap/control", O_RDWR | O_CLOEXEC);
	struct rbmap_create create;
	char name[16];
	unsigned int i;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "k%u", i);
		snprintf(create.text, sizeof(create.text), "%s buffer_size_kb=8", name);
		if (ioctl(fd, RBMAP_IOCTL_CREATE, &create))
			bail_out("CREATE: %s", strerror(errno));
		enable(name);
	}
	waits();
	close(fd);
	at_most(waits(), "buffers that end with a file");
	ok(access(INSTANCES "k0", F_OK) && access(INSTANCES "k1", F_OK),
	   "the buffers are gone");
}

static void end_with_module(unsigned int count)
{
	char text[64];
	unsigned int i;
	int err;

	for (i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "m%u buffer_size_kb=8", i);
		put(INSTANCES "create", text);
		*strchr(text, ' ') = 0;
		enable(text);
	}
	waits();
	err = syscall(SYS_delete_module, "rbmap", O_NONBLOCK) ? errno : 0;
	is_error(err, 0, "the module unloads");
	at_most(waits(), "buffers that end with the module");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		bail_out("usage: ends N");
	end_with_file(strtoul(argv[1], NULL, 0));
	end_with_module(strtoul(argv[1], NULL, 0));
	return done_testing();
}
