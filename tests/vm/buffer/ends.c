// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of many buffers waits as often as that of one.
 *
 *	ends N
 *
 * failing.ko is loaded and counts the waits of processes. N buffers end with a file, and N
 * with the module, which is loaded. If N is large, N more end with a file, while others
 * create and open buffers, and are killed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/rbmap.h>

#include "tap.h"

#define PARAMETERS	"/sys/module/failing/parameters/"
#define INSTANCES	"/sys/kernel/rbmap/instances/"
/* One round of calls: tracepoints wait for one or two kinds of readers. */
#define WAITS_MAX	4
/* So many buffers end for longer than others need to create some. */
#define MANY		500
#define OTHERS		4

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

static void create(int fd, const char *name)
{
	struct rbmap_create create;

	snprintf(create.text, sizeof(create.text), "%s buffer_size_kb=8", name);
	if (ioctl(fd, RBMAP_IOCTL_CREATE, &create))
		bail_out("CREATE %s: %s", name, strerror(errno));
}

/* Create a buffer and open it, until killed. */
static void create_for_ever(unsigned int number)
{
	char name[16], path[64];
	int fd, ring;

	snprintf(name, sizeof(name), "other%u", number);
	snprintf(path, sizeof(path), "/dev/rbmap/%s/cpu0", name);
	for (;;) {
		fd = open("/dev/rbmap/control", O_RDWR | O_CLOEXEC);
		create(fd, name);
		ring = open(path, O_RDONLY | O_CLOEXEC);
		if (ring < 0)
			_exit(1);
		close(ring);
		close(fd);
		if (write(STDOUT_FILENO, "x", 1) != 1)
			_exit(1);
	}
}

static bool exists(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), INSTANCES "%s", name);
	return !access(path, F_OK);
}

/* Let others create and open buffers, and kill them, while buffer @last has not ended. */
static void others(const char *last)
{
	unsigned int i, created = 0, killed = 0;
	pid_t pid[OTHERS];
	int pipe_fd[2], status;
	char x;

	if (pipe(pipe_fd))
		bail_out("pipe: %s", strerror(errno));
	for (i = 0; i < OTHERS; i++) {
		pid[i] = fork();
		if (pid[i])
			continue;
		dup2(pipe_fd[1], STDOUT_FILENO);
		create_for_ever(i);
	}
	for (i = 0; i < OTHERS && read(pipe_fd[0], &x, 1) == 1; i++)
		created += exists(last);
	for (i = 0; i < OTHERS; i++)
		kill(pid[i], SIGKILL);
	for (i = 0; i < OTHERS; i++)
		killed += waitpid(pid[i], &status, 0) == pid[i] && WIFSIGNALED(status);
	ok(created == OTHERS, "others create and open buffers meanwhile (%u)", created);
	ok(killed == OTHERS, "they are killed (%u)", killed);
	ok(exists(last), "buffers end still");
	close(pipe_fd[0]);
	close(pipe_fd[1]);
}

static void end_with_file(unsigned int count, bool disturbed)
{
	int fd = open("/dev/rbmap/control", O_RDWR | O_CLOEXEC);
	char name[16];
	unsigned int i;
	pid_t pid;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "k%u", i);
		create(fd, name);
		enable(name);
	}
	waits();
	/* The last file is that of a process that is killed. */
	pid = fork();
	while (!pid)
		pause();
	close(fd);
	kill(pid, SIGKILL);
	if (disturbed)
		others(name);
	waitpid(pid, NULL, 0);
	if (!disturbed)
		at_most(waits(), "buffers that end with a file");
	ok(!exists("k0") && !exists(name), "the buffers are gone");
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
	unsigned int count;

	if (argc != 2)
		bail_out("usage: ends N");
	count = strtoul(argv[1], NULL, 0);
	end_with_file(count, false);
	if (count >= MANY)
		end_with_file(count, true);
	end_with_module(count);
	return done_testing();
}
