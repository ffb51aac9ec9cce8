// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each step of a load fails once, while a thread opens all that it finds. With SHORT=1 in
 * the environment, each third step.
 *
 *	load_fails MODULE
 *
 * MODULE is rbmap.ko; failing.ko is loaded and watches the functions of the steps.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap.h"

#define PARAMETERS	"/sys/module/failing/parameters/"
#define CONTROL		"/sys/kernel/rbmap/"
#define MOUNT		"/tmp/load_fails"
#define MAX_OPEN	64
#define MAX_STEPS	100

static const char *module;
static char calls[4096];
static char last_opened[256];
static int open_fds[MAX_OPEN];
static atomic_uint nr_open, nr_mounted;
static atomic_bool stop;

static bool there(const char *path)
{
	struct stat status;

	return !stat(path, &status);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		bail_out("%s: %s", path, strerror(errno));
	close(fd);
}

static void read_calls(void)
{
	int fd = open(PARAMETERS "calls", O_RDONLY | O_CLOEXEC);
	ssize_t len = read(fd, calls, sizeof(calls) - 1);

	if (len < 0)
		bail_out("calls: %s", strerror(errno));
	calls[len] = 0;
	close(fd);
}

/* Return the name of the call with a number, counted from 1, or NULL. */
static const char *call_number(unsigned int number)
{
	static char name[64];
	const char *at = calls;

	while (--number && at)
		at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
	if (!at || !*at)
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "\n"), at);
	return name;
}

/* An open file stays open until the load has ended. */
static int open_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	int fd;

	(void)type;
	(void)ftw;
	if (!S_ISCHR(status->st_mode) || atomic_load(&nr_open) == MAX_OPEN)
		return 0;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	open_fds[atomic_load(&nr_open)] = fd;
	snprintf(last_opened, sizeof(last_opened), "%s", path);
	atomic_fetch_add(&nr_open, 1);
	return 0;
}

static void *open_all(void *unused)
{
	(void)unused;
	while (!atomic_load(&stop)) {
		nftw("/dev/rbmap", open_one, 8, FTW_PHYS);
		if (!mount("rbmap", MOUNT, "rbmap", 0, NULL)) {
			atomic_fetch_add(&nr_mounted, 1);
			umount(MOUNT);
		}
		usleep(2000);
	}
	return NULL;
}

/* Return the error of a load during which everything is opened. */
static int load(void)
{
	int fd = open(module, O_RDONLY | O_CLOEXEC), err;
	pthread_t opener;

	atomic_store(&stop, false);
	atomic_store(&nr_open, 0);
	atomic_store(&nr_mounted, 0);
	if (fd < 0 || pthread_create(&opener, NULL, open_all, NULL))
		bail_out("%s: %s", module, strerror(errno));
	err = syscall(SYS_finit_module, fd, "buffer_size_kb=64", 0) ? errno : 0;
	atomic_store(&stop, true);
	pthread_join(opener, NULL);
	close(fd);
	return err;
}

static void close_all(void)
{
	unsigned int i, nr = atomic_load(&nr_open);

	for (i = 0; i < nr; i++)
		close(open_fds[i]);
}

static int unload(void)
{
	return syscall(SYS_delete_module, "rbmap", O_NONBLOCK) ? errno : 0;
}

static bool appears(const char *path)
{
	unsigned int tries;

	for (tries = 0; tries < 1000 && !there(path); tries++)
		usleep(10000);
	return there(path);
}

/* A load that has published everything goes on without its markers. */
static void check_markers(const char *name, unsigned int number)
{
	ok(!strcmp(name, "device_create_with_groups"), "step %u, %s: only markers may be missing after cdev_add",
	   number, name);
	/* An open by the other thread may have made them already. */
	put(CONTROL "tracing_on", "1");
	ok(appears("/dev/rbmap/marker") && appears("/dev/rbmap/marker_raw"),
	   "step %u: a write to a control file makes the markers", number);
}

/* Let a step fail. Return false if there are no more steps. */
static bool check_step(unsigned int number)
{
	char text[16];
	const char *name;
	int err;

	snprintf(text, sizeof(text), "%u", number);
	put(PARAMETERS "nth", text);
	err = load();
	read_calls();
	name = call_number(number);
	if (!err) {
		if (name)
			check_markers(name, number);
		close_all();
		is_error(unload(), 0, "step %u: unloads", number);
		return name;
	}
	is_error(err, ENOMEM, "step %u, %s: the load fails", number, name);
	if (!is(atomic_load(&nr_open), 0, "step %u, %s: nothing could be opened", number, name))
		diag("%s", last_opened);
	is(atomic_load(&nr_mounted), 0, "step %u, %s: nothing could be mounted", number, name);
	ok(!there("/dev/rbmap") && !there(CONTROL) && !there("/sys/module/rbmap"),
	   "step %u, %s: nothing is left", number, name);
	return true;
}

int main(int argc, char **argv)
{
	unsigned int number;
	const char *last;

	if (argc != 2)
		bail_out("usage: load_fails MODULE");
	module = argv[1];
	mkdir(MOUNT, 0700);
	for (number = 1; number < MAX_STEPS; number += getenv("SHORT") ? 3 : 1)
		if (!check_step(number))
			break;
	/* The steps of the load that worked. */
	last = strstr(calls, "cdev_add\n");
	if (!ok(last && !strcmp(last, "cdev_add\ndevice_create_with_groups\n"
			     "device_create_with_groups\n"),
		"what can be opened is published last"))
		diag("%s", calls);
	return done_testing();
}
