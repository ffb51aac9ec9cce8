// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <rbmap.h>

#include "kernel/control.h"
#include "reader.h"

/* Events of one step, so that the caller can look at the clock */
#define STEP_EVENTS	1024

/* Most sub-buffers that one splice() moves */
#define STEP_SUBBUFS	4

#define WAIT_MS		5

static void device_path(const struct reader *r, char *path, size_t size)
{
	snprintf(path, size, "%s/cpu%u", control_devices(), r->ledger->cpu);
}

static int open_map(struct reader *r)
{
	char path[256];

	device_path(r, path, sizeof(path));
	return rbmap_open_path(&r->map, path, 0);
}

static int open_observer(struct reader *r)
{
	char path[256];

	device_path(r, path, sizeof(path));
	return rbmap_observe_path(&r->map, path, 0);
}

static int step_map(struct reader *r)
{
	struct rbmap_event event;
	int ret = 0;

	for (unsigned int i = 0; i < STEP_EVENTS; i++) {
		ret = rbmap_next_event(r->map, &event);
		if (ret <= 0)
			return ret < 0 ? ret : i > 0;
		ledger_event(r->ledger, &event);
	}
	return ret;
}

static void wait_map(struct reader *r)
{
	rbmap_wait(r->map, WAIT_MS);
}

static int open_file(struct reader *r)
{
	char path[256];
	uint64_t size;
	int ret;

	ret = control_cpu_stat(r->ledger->cpu, "subbuf size", &size);
	if (ret)
		return ret;
	r->subbuf_size = size;
	r->subbuf = malloc(size);
	if (!r->subbuf)
		return -ENOMEM;
	device_path(r, path, sizeof(path));
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return r->fd < 0 ? -errno : 0;
}

/* Check a sub-buffer. Without an event, its header alone can report a loss. */
static int check_subbuf(struct reader *r)
{
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event event;
	bool any = false;
	int ret;

	while ((ret = rbmap_decode(r->subbuf, r->subbuf_size, &cursor, &event)) == 1) {
		any = true;
		ledger_event(r->ledger, &event);
	}
	if (!any && !ret)
		ledger_lost(r->ledger, rbmap_decode_lost(r->subbuf, r->subbuf_size));
	return ret < 0 ? ret : 1;
}

/* Return the number of bytes, 0: there are none now, or a negative errno. */
static ssize_t got(ssize_t ret)
{
	if (ret >= 0)
		return ret;
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

static int step_read(struct reader *r)
{
	ssize_t ret = got(read(r->fd, r->subbuf, r->subbuf_size));

	if (ret <= 0)
		return ret;
	return (size_t)ret == r->subbuf_size ? check_subbuf(r) : -EIO;
}

static void wait_file(struct reader *r)
{
	struct pollfd pollfd = { .fd = r->fd, .events = POLLIN };

	poll(&pollfd, 1, WAIT_MS);
}

static int open_pipe(struct reader *r)
{
	int size = (STEP_SUBBUFS + 1) * r->subbuf_size;

	if (pipe2(r->pipe, O_CLOEXEC))
		return -errno;
	return fcntl(r->pipe[1], F_SETPIPE_SZ, size) < 0 ? -errno : 0;
}

static int open_splice(struct reader *r)
{
	int ret = open_file(r);

	return ret ? ret : open_pipe(r);
}

/* Read a sub-buffer from the pipe, which may return it in pieces. */
static int read_pipe(struct reader *r)
{
	size_t size = 0;
	ssize_t ret;

	while (size < r->subbuf_size) {
		ret = read(r->pipe[0], r->subbuf + size, r->subbuf_size - size);
		if (ret <= 0)
			return ret ? -errno : -EIO;
		size += ret;
	}
	return check_subbuf(r);
}

/* splice() leaves the sub-buffer of the writer in the ring: read() gets it at the end. */
static int step_splice(struct reader *r)
{
	ssize_t ret, left;
	int error = 1;

	ret = got(splice(r->fd, NULL, r->pipe[1], NULL, STEP_SUBBUFS * r->subbuf_size,
			 SPLICE_F_NONBLOCK));
	if (ret < 0)
		return ret;
	if (!ret)
		return r->ends ? step_read(r) : 0;
	for (left = ret; left > 0 && error > 0; left -= r->subbuf_size)
		error = read_pipe(r);
	return error;
}

static int open_merge(struct reader *r)
{
	return rbmap_merge_open_path(&r->merge, control_devices(), 0);
}

static struct ledger *ledger_of(const struct reader *r, int cpu)
{
	for (size_t i = 0; i < r->nr; i++)
		if (r->ledger[i].cpu == (unsigned int)cpu)
			return &r->ledger[i];
	return NULL;
}

static int step_merge(struct reader *r)
{
	struct rbmap_event event;
	struct ledger *l;
	int ret = 0;

	if (r->ends)
		rbmap_merge_set_hold(r->merge, 0);
	for (unsigned int i = 0; i < STEP_EVENTS; i++) {
		ret = rbmap_merge_next(r->merge, &event);
		if (ret <= 0)
			return ret < 0 ? ret : i > 0;
		l = ledger_of(r, event.cpu);
		if (l)
			ledger_event(l, &event);
	}
	return ret;
}

static void wait_merge(struct reader *r)
{
	rbmap_merge_wait(r->merge, WAIT_MS);
}

const struct way ways[] = {
	{ .name = "mmap", .open = open_map, .step = step_map, .wait = wait_map },
	{ .name = "read", .open = open_file, .step = step_read, .wait = wait_file },
	{ .name = "splice", .open = open_splice, .step = step_splice, .wait = wait_file },
	{ .name = "observer", .observes = true, .open = open_observer, .step = step_map,
	  .wait = wait_map },
	{ .name = "merge", .merged = true, .open = open_merge, .step = step_merge,
	  .wait = wait_merge },
};

const size_t nr_ways = sizeof(ways) / sizeof(ways[0]);

static void report(struct reader *r, const char *what, int ret)
{
	if (ret < 0)
		ledger_wrong(r->ledger, "%s: %s", what, rbmap_strerror(ret));
}

bool reader_open(struct reader *r)
{
	int ret = r->way->open(r);

	report(r, "cannot open", ret);
	return !ret;
}

void reader_follow(struct reader *r)
{
	int ret = r->way->step(r);

	report(r, "cannot read", ret);
	if (ret <= 0)
		r->way->wait(r);
}

static bool is_wrong(const struct reader *r)
{
	for (size_t i = 0; i < r->nr; i++)
		if (r->ledger[i].error[0])
			return true;
	return false;
}

/*
 * After two steps without an event the ring is empty. A ring that is broken may give the
 * same events for ever.
 */
void reader_drain(struct reader *r)
{
	int idle = 0, ret;

	r->ends = true;
	while (idle < 2 && !is_wrong(r)) {
		ret = r->way->step(r);
		report(r, "cannot read", ret);
		idle = ret > 0 ? 0 : idle + 1;
	}
}

void reader_close(struct reader *r)
{
	rbmap_close(r->map);
	rbmap_merge_close(r->merge);
	free(r->subbuf);
	for (size_t i = 0; i < 2; i++)
		if (r->pipe[i] > 0)
			close(r->pipe[i]);
	if (r->fd > 0)
		close(r->fd);
}
