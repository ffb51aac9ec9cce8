// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows in which preemption or interrupts are off: how long a task of the highest priority
 * waits while another one on its CPU makes one call over and over. It tries each call of the
 * devices, reads each control file, and writes to it what it has read. Prints TAP. The machine's
 * clock must count instructions.
 *
 *	windows
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client.h"
#include "delay.h"
#include "tap.h"

#define CPU		0
#define LEN		24	/* bytes of text in an event */
#define EVENTS		20
#define CALLS		100
#define SLOW_CALLS	3	/* those that wait for the kernel */
#define TEXT_MAX	(256 * 1024)

/* How much longer a window may be than that of a call that only enters the kernel. */
#define LIMIT		15000

static uint64_t number = 1, shortest, longest;
static const char *longest_name = "none";
static int device = -1;

/* The kernel gives pages back with interrupts off, a few hundred at once. */
#define PAGES_LIMIT	10000

static void judge(uint64_t delay, bool pages, const char *what, const char *name)
{
	if (delay > longest) {
		longest = delay;
		longest_name = strdup(name);
	}
	ok(delay < shortest + LIMIT + (pages ? PAGES_LIMIT : 0),
	   "%s %s: %" PRIu64 " instructions", what, name, delay);
}

/* ---- calls of a device */

static void enter(void)
{
	for (int i = 0; i < CALLS; i++)
		if (access("/", F_OK))
			bail_out("access: %s", error_name(errno));
}

/*
 * The kernel keeps freed pages in a list for each CPU, and gives up to 2,016 of them back with
 * interrupts off. Any program may have freed them. If the lists are short, so are the windows.
 */
static void keep_few_pages(void)
{
	int fd = open("/proc/sys/vm/percpu_pagelist_high_fraction", O_WRONLY);

	ok(fd >= 0 && write(fd, "1000", 4) == 4, "the kernel's lists of freed pages are short");
	close(fd);
}

static void more(void)
{
	emit(number, EVENTS, LEN);
	number += EVENTS;
}

static void open_and_close(void)
{
	for (int i = 0; i < CALLS; i++)
		close(device_open(CPU, O_RDONLY | O_NONBLOCK));
}

static void write_marker(void)
{
	for (int i = 0; i < CALLS; i++)
		more();
}

static void read_all(void)
{
	char buf[MAX_SUBBUF];

	for (int i = 0; i < CALLS; i++) {
		more();
		while (read(device, buf, sizeof(buf)) > 0)
			;
	}
}

static void splice_all(void)
{
	int pipes[2], null = open("/dev/null", O_WRONLY);

	for (int i = 0; i < CALLS; i++) {
		if (pipe(pipes))
			bail_out("pipe: %s", error_name(errno));
		more();
		while (splice(device, NULL, pipes[1], NULL, MAX_SUBBUF, SPLICE_F_NONBLOCK) > 0)
			splice(pipes[0], NULL, null, NULL, MAX_SUBBUF, 0);
		close(pipes[0]);
		close(pipes[1]);
	}
	close(null);
}

static void poll_it(void)
{
	struct pollfd pollfd = { .fd = device, .events = POLLIN };

	for (int i = 0; i < CALLS; i++)
		poll(&pollfd, 1, 0);
}

static void map_and_unmap(void)
{
	struct client client;

	for (int i = 0; i < CALLS; i++) {
		if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
			bail_out("map: %s", error_name(errno));
		client_close(&client);
	}
}

static void get_readers(void)
{
	struct client client;

	if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
		bail_out("map: %s", error_name(errno));
	for (int i = 0; i < CALLS; i++) {
		more();
		for (int j = 0; j < 3; j++)
			get_reader(client.fd);
	}
	client_close(&client);
}

static void observe(void)
{
	for (int i = 0; i < CALLS; i++) {
		int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);

		ioctl(fd, RBMAP_IOCTL_OBSERVE);
		more();
		get_reader(fd);
		close(fd);
	}
}

static void discard(void)
{
	for (int i = 0; i < CALLS; i++) {
		more();
		ioctl(device, RBMAP_IOCTL_DISCARD);
	}
}

static void snapshot(void)
{
	for (int i = 0; i < CALLS; i++) {
		more();
		ioctl(device, RBMAP_IOCTL_SNAPSHOT);
	}
}

static void resize(void)
{
	for (int i = 0; i < CALLS / 10; i++)
		if (!set_number("buffer_size_kb", i & 1 ? 256 : 512))
			bail_out("buffer_size_kb: %s", error_name(errno));
}

static void must_set(const char *name, const char *value)
{
	if (!set(name, value))
		bail_out("%s: %s", name, error_name(errno));
}

static void create_and_destroy(void)
{
	char name[16];

	for (int i = 0; i < SLOW_CALLS; i++) {
		snprintf(name, sizeof(name), "window%d", i);
		must_set("instances/create", name);
		must_set("instances/destroy", name);
	}
}

static void all_events(void)
{
	for (int i = 0; i < SLOW_CALLS; i++) {
		must_set("events/enable", "1");
		must_set("events/enable", "0");
	}
}

static const struct call {
	const char	*name;
	void		(*act)(void);
	bool		pages;
} calls[] = {
	{ "open and close", open_and_close, false },
	{ "write to the marker", write_marker, false },
	{ "read", read_all, false },
	{ "splice", splice_all, false },
	{ "poll", poll_it, false },
	{ "mmap and munmap", map_and_unmap, true },
	{ "GET_READER", get_readers, false },
	{ "OBSERVE", observe, false },
	{ "DISCARD", discard, false },
	{ "SNAPSHOT", snapshot, true },
	{ "another size", resize, true },
	{ "a buffer is created and destroyed", create_and_destroy, true },
	{ "all events on and off", all_events, false },
};

/* ---- control files */

static char path[512], text[TEXT_MAX];
static ssize_t text_len;

static bool read_text(void)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	ssize_t got = -1;

	text_len = 0;
	if (fd < 0)
		return false;
	while (text_len < TEXT_MAX && (got = read(fd, text + text_len, TEXT_MAX - text_len)) > 0)
		text_len += got;
	close(fd);
	return got >= 0 || errno == EAGAIN;
}

static void read_often(void)
{
	for (int i = 0; i < CALLS / 5; i++)
		read_text();
}

/* A file that refuses its own text does so after it has looked at it, so that counts, too. */
static void write_often(void)
{
	for (int i = 0; i < CALLS / 5; i++) {
		int fd = open(path, O_WRONLY | O_APPEND);

		if (fd >= 0 && write(fd, text, text_len < 4096 ? text_len : 4096) < 0)
			errno = 0;
		close(fd);
	}
}

static bool takes_pages(const char *name)
{
	return strstr(name, "size_kb") || !strcmp(name, "snapshot");
}

static void try_file(const char *dir, const char *name)
{
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (lstat(path, &st) || !(S_ISREG(st.st_mode) || S_ISCHR(st.st_mode)))
		return;
	if (st.st_mode & 0400 && read_text())
		judge(delay_of(NULL, read_often), false, "read", path);
	else
		text_len = snprintf(text, sizeof(text), "1\n");
	/* Its end frees the ring that the other files are about. */
	if (st.st_mode & 0200 && strcmp(name, "free_buffer"))
		judge(delay_of(NULL, write_often), takes_pages(name), "write", path);
}

static void try_files(const char *below)
{
	char dir[300];
	struct dirent **names;
	int nr;

	snprintf(dir, sizeof(dir), "%s/%s", target.control, below);
	nr = scandir(dir, &names, NULL, alphasort);
	ok(nr > 2, "%s: %d files", dir, nr - 2);
	for (int i = 0; i < nr; i++) {
		try_file(dir, names[i]->d_name);
		free(names[i]);
	}
}

int main(void)
{
	static const char *const dirs[] = {
		"", "per_cpu/cpu0", "options", "events", "events/sched", "events/sched/sched_switch",
	};

	pin(CPU);
	more();
	device = device_open(CPU, O_RDONLY | O_NONBLOCK);
	if (device < 0)
		bail_out("no device: %s", error_name(errno));
	keep_few_pages();
	shortest = delay_of(NULL, enter);
	ok(shortest, "calls that only enter the kernel: %" PRIu64 " instructions", shortest);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		judge(delay_of(NULL, calls[i].act), calls[i].pages, "call", calls[i].name);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		try_files(dirs[i]);
	try_file("/dev/rbmap", "trace");
	try_file("/dev/rbmap", "trace_pipe");
	try_file("/dev/rbmap", "saved_cmdlines");
	try_file("/dev/rbmap", "error_log");
	diag("the longest: %" PRIu64 " instructions, %s", longest, longest_name);
	close(device);
	return done_testing();
}
