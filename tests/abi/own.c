// SPDX-License-Identifier: GPL-2.0-only
/*
 * Features that only rbmap has: its own block in the meta-page, reported drops,
 * and the events that end a wait.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi.h"
#include "tap.h"

static uint64_t field(const struct client *client, size_t offset, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)client->meta + offset, size);
	return value;
}

static void test_block(struct client *client)
{
	ok(field(client, 72, 8) <= 2, "meta: pages_touched");
	is(field(client, 4, 4), sizeof(struct rbmap_meta),
	   "meta: own block, length");
	ok(!memcmp((const char *)client->meta + 80, "rbmp", 4),
	   "meta: own block, magic");
	is(field(client, 84, 4), RBMAP_META_VERSION, "meta: version");
	ok(field(client, 88, 4) >= 1, "meta: generation");
	is(field(client, 92, 4), RBMAP_MODE_OVERWRITE, "meta: mode");
	is(field(client, 96, 4), RBMAP_CLOCK_LOCAL, "meta: clock");
	is(field(client, 100, 4), CPU, "meta: cpu");
	is(field(client, 104, 8), 0, "meta: lost");
	is(field(client, 112, 8), 0, "meta: dropped_full");
	is(field(client, 120, 8), 0, "meta: dropped_lapped");
	is(field(client, 128, 8), 0, "meta: dropped_nested");
	is(field(client, 136, 8), 0, "meta: dropped_too_large");
	is(field(client, 144, 8), 0, "meta: disabled");
	is(field(client, 152, 8), 0, "meta: lost_reported");
	ok(field(client, 160, 8) > 0, "meta: now");
	ok(all_zero((const char *)client->meta + sizeof(struct rbmap_meta),
		    (const char *)client->meta + page), "meta: zeroes behind");
}

static void test_meta(void)
{
	struct client client;
	uint32_t generation;
	uint64_t from;

	set_overwrite(true);
	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(5, SMALL);
	drain(&client);
	test_block(&client);

	set_overwrite(false);
	set("tracing_on", "0");
	more(3, SMALL);
	set("tracing_on", "1");
	get_reader(client.fd);
	is(client.meta->mode, RBMAP_MODE_DISCARD, "meta: mode changes");
	is(client.meta->disabled, 3, "meta: events while tracing_on is 0");
	is(client.meta->lost, 0, "meta: disabled events are not lost");
	is(client.meta->entries, 5, "meta: disabled events are not entries");
	set_overwrite(true);
	generation = client.meta->generation;
	is(client.meta->retired, 0, "meta: the ring is not retired");
	set("trace_clock", "mono");
	is(client.meta->retired, 1, "meta: another clock retires the ring");
	is(client.meta->clock, RBMAP_CLOCK_LOCAL,
	   "meta: the retired ring keeps its own clock");
	client_unmap(&client);
	client_map(&client);
	is(client.meta->clock, RBMAP_CLOCK_MONO,
	   "meta: the next ring has the new clock");
	is(client.meta->generation, generation + 1,
	   "meta: the generation counts the rings");
	more(1, SMALL);
	from = now();
	get_reader(client.fd);
	ok(client.meta->now >= from && client.meta->now <= now(),
	   "meta: now is the time of GET_READER");
	client_close(&client);
	set("trace_clock", "local");
	fresh();
	is(stat_of(CPU, "entries"), 0, "reset: no unread event");
}

static void test_lost_map(void)
{
	struct client client;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	overfill(LARGE);
	drain(&client);
	ok(client.meta->overrun > 0, "lost: overrun");
	is(client.meta->lost, client.meta->overrun, "lost: lost");
	is(client.meta->lost_reported, client.meta->overrun, "lost: lost_reported");
	ok(client.meta->pages_lost > 0, "lost: sub-buffers lost");
	client_close(&client);
}

/*
 * Fill the ring in discard mode, so that it drops events. Drops follow all
 * readable events; each reader must report them nevertheless.
 */
static uint64_t drop_some(void)
{
	uint64_t tried = (nr_subbufs + 3) * (subbuf_size / LARGE), taken;

	set_overwrite(false);
	fresh();
	taken = more(tried, LARGE);
	set_overwrite(true);
	ok(taken < tried, "drops: a full ring drops events");
	return tried - taken;
}

static void test_drops_map(void)
{
	uint64_t lost, told = 0, dropped, last = 0;
	struct client client;
	uint32_t id;
	size_t read;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	dropped = drop_some();
	for (;;) {
		id = client.meta->reader.id;
		read = client.meta->reader.read;
		get_reader(client.fd);
		if (client.meta->reader.id == id &&
		    client.meta->reader.read == read)
			break;
		if (client.meta->reader.id == id)
			continue;
		ok(subbuf_lost(client_subbuf(&client), subbuf_size, &lost),
		   "drops: map: sub-buffer with a number");
		told += lost;
		subbuf_events(client_subbuf(&client), 0, NULL, &last);
	}
	is(told, dropped, "drops: map: a sub-buffer reports the drops");
	is(client.meta->dropped_full, dropped, "drops: map: dropped_full");
	is(client.meta->lost, dropped, "drops: map: lost");
	is(client.meta->lost_reported, dropped, "drops: map: lost_reported");
	is(client.meta->overrun, 0, "drops: map: overrun");
	more(1, SMALL);
	is(take(&client, NULL, &last), 1, "drops: map: events continue");
	is(last, number - 1, "drops: map: the next event is the right one");
	is(client.meta->reader.lost_events, 0, "drops: map: no further loss");
	client_close(&client);
}

static void test_drops_read(void)
{
	char *subbuf = malloc(subbuf_size);
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	uint64_t lost, told = 0, dropped, last = 0;
	unsigned int empty = 0;

	dropped = drop_some();
	while (read(fd, subbuf, subbuf_size) == (ssize_t)subbuf_size) {
		subbuf_lost(subbuf, subbuf_size, &lost);
		told += lost;
		empty += !subbuf_commit(subbuf);
	}
	is(told, dropped, "drops: read: a sub-buffer reports the drops");
	is(empty, 1, "drops: read: the reporting sub-buffer is empty");
	is(stat_of(CPU, "lost reported"), dropped,
	   "drops: read: stats count the drops as reported");
	more(1, SMALL);
	is(read(fd, subbuf, subbuf_size), subbuf_size,
	   "drops: read: events continue");
	ok(subbuf_lost(subbuf, subbuf_size, &lost) && !lost,
	   "drops: read: no further loss");
	is(subbuf_events(subbuf, 0, NULL, &last), 1, "drops: read: an event");
	is(last, number - 1, "drops: read: the right one");
	close(fd);
	free(subbuf);
}

/* A pipe that has room for some sub-buffers. */
static void pipe_open(int ends[2])
{
	if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, 4 * subbuf_size) < 0)
		bail_out("a pipe: %s", error_name(errno));
}

static void pipe_close(int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

static void no_percent(void *data)
{
	(void)data;
	percent(0);
}

/* No event comes: a reader that is woken must compare with the new watermark. */
static void test_lower_percent_map(void)
{
	struct client client;
	uint64_t began, last = 0;
	int error;
	pid_t pid;

	percent(100);
	fresh();
	client_open(&client, CPU, O_RDONLY);
	more(1, SMALL);
	began = now();
	pid = later(200, no_percent, NULL);
	alarm_in(limit(10000));
	error = get_reader(client.fd);
	alarm_in(0);
	is(error, 0, "wait: GET_READER: buffer_percent becomes 0");
	ok(now() - began >= 150 * MSEC,
	   "wait: GET_READER: buffer_percent becomes 0: not before");
	subbuf_events(client_subbuf(&client), 0, NULL, &last);
	ok(last == number - 1,
	   "wait: GET_READER: buffer_percent becomes 0: the event is there");
	reap(pid);
	client_close(&client);
}

/* Write two sub-buffers of events, and some time later set another watermark. */
static void fill_and_no_percent(void *data)
{
	emit_some(data);
	nap(200);
	percent(0);
}

static void test_lower_percent_splice(void)
{
	unsigned int count = 2 * (subbuf_size / LARGE);
	int fd, ends[2];
	uint64_t began;
	ssize_t ret;
	pid_t pid;

	percent(100);
	fresh();
	fd = device_open(CPU, O_RDONLY);
	pipe_open(ends);
	began = now();
	pid = later(100, fill_and_no_percent, &count);
	alarm_in(limit(10000));
	ret = splice(fd, NULL, ends[1], NULL, subbuf_size, 0);
	alarm_in(0);
	is(ret, subbuf_size, "wait: splice: buffer_percent becomes 0");
	ok(now() - began >= 250 * MSEC,
	   "wait: splice: buffer_percent becomes 0: not before");
	reap(pid);
	number += count;
	pipe_close(ends);
	close(fd);
}

static void observe(void *fd)
{
	if (ioctl(*(int *)fd, RBMAP_IOCTL_OBSERVE))
		bail_out("OBSERVE: %s", error_name(errno));
}

static int wait_by_read(int fd, int to_pipe)
{
	char byte;

	(void)to_pipe;
	return read(fd, &byte, 1) < 0 ? errno : 0;
}

static int wait_by_splice(int fd, int to_pipe)
{
	return splice(fd, NULL, to_pipe, NULL, subbuf_size, 0) < 0 ? errno : 0;
}

static int wait_by_get_reader(int fd, int to_pipe)
{
	(void)to_pipe;
	return get_reader(fd);
}

/*
 * A file that begins to observe stops consuming. It does not consume later
 * events either.
 */
static void test_observe(const char *what, int (*wait)(int fd, int to_pipe))
{
	int fd, error, ends[2];
	pid_t pid;

	percent(0);
	fresh();
	fd = device_open(CPU, O_RDONLY);
	pipe_open(ends);
	pid = later(200, observe, &fd);
	alarm_in(limit(10000));
	error = wait(fd, ends[1]);
	alarm_in(0);
	is(error, EBADF, "wait: %s: the file begins to observe", what);
	reap(pid);
	pipe_close(ends);
	close(fd);
}

static void end_wait(void *fd)
{
	unsigned int count = 1;

	emit_some(&count);
	number += count;
	ioctl(*(int *)fd, 0);
}

/*
 * SIGSTOP and SIGCONT, a debugger and a suspended machine interrupt a wait, and the
 * kernel restarts the call. @while_stopped: what ends the wait comes in between.
 */
static void test_stopped(const char *what, int (*wait)(int fd, int to_pipe),
			 bool while_stopped)
{
	struct client client;
	int status, ends[2];
	pid_t pid;

	percent(0);
	fresh();
	client_open(&client, CPU, O_RDONLY);
	pipe_open(ends);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(wait(client.fd, ends[1]));
	if (!await_sleep(pid))
		bail_out("%s does not wait", what);
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	if (while_stopped)
		end_wait(&client.fd);
	kill(pid, SIGCONT);
	if (!while_stopped) {
		nap(200);
		is(waitpid(pid, &status, WNOHANG), 0,
		   "wait: %s: goes on after SIGSTOP and SIGCONT", what);
		end_wait(&client.fd);
	}
	alarm_in(limit(10000));
	waitpid(pid, &status, 0);
	alarm_in(0);
	is_error(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0,
		 "wait: %s: ends %s SIGCONT", what, while_stopped ? "with" : "after");
	pipe_close(ends);
	client_close(&client);
}

/*
 * Check the sums over all sub-buffers in the slot table: no event is counted
 * twice.
 */
static bool walk_adds_up(const struct client *client,
			 const struct rbmap_slot_table *table)
{
	const uint32_t nr = client->nr_subbufs - 1;
	uint64_t seq, last, events = 0;
	bool good = true;

	for (uint32_t back = nr; back--;) {
		const struct rbmap_table_slot *slot;
		const char *subbuf;

		seq = (table->newest + table->modulus - back) % table->modulus;
		slot = &table->slot[seq % nr];
		if (slot->slot != RBMAP_TABLE_SLOT(seq, RBMAP_TABLE_ID(slot->slot)))
			continue;
		subbuf = client->data + RBMAP_TABLE_ID(slot->slot) * subbuf_size;
		good &= slot->events >= events;
		events = slot->events + subbuf_events(subbuf, 0, NULL, &last);
	}
	return good;
}

/*
 * splice() gives away a sub-buffer's memory, and the ring continues with other
 * memory. A process that maps the ring then finds no bytes of earlier
 * sub-buffers in it.
 */
static void test_observe_after_splice(void)
{
	const struct rbmap_slot_table *table;
	struct client client;
	char *subbuf = malloc(subbuf_size);
	int fd, ends[2];

	fresh();
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	/* Fill sub-buffers with many events, and then with few. */
	more(2 * subbuf_size / SMALL, SMALL);
	more(3 * subbuf_size / LARGE + 1, LARGE);
	pipe_open(ends);
	while (splice(fd, NULL, ends[1], NULL, subbuf_size, SPLICE_F_NONBLOCK) ==
	       (ssize_t)subbuf_size)
		if (read(ends[0], subbuf, subbuf_size) != (ssize_t)subbuf_size)
			bail_out("pipe: %s", error_name(errno));
	pipe_close(ends);
	more(1, SMALL);
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	table = mmap(NULL, client.meta->slot_table_size, PROT_READ, MAP_SHARED,
		     client.fd, client.meta->slot_table_offset);
	if (table == MAP_FAILED)
		bail_out("slot table: %s", error_name(errno));
	ok(walk_adds_up(&client, table),
	   "observer: after splice(): the sums agree");
	munmap((void *)table, client.meta->slot_table_size);
	client_close(&client);
	close(fd);
	free(subbuf);
}

/*
 * Sub-buffers of an earlier lap held more bytes: none of the old bytes is
 * handed over.
 */
static void test_behind_events(void)
{
	char *subbuf = malloc(subbuf_size);
	int fd, ends[2];
	size_t end;

	fresh();
	overfill(SMALL);
	more(2 * nr_subbufs * (subbuf_size / LARGE), LARGE);
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	pipe_open(ends);
	is(splice(fd, NULL, ends[1], NULL, subbuf_size, SPLICE_F_NONBLOCK),
	   subbuf_size, "splice: a sub-buffer of a later lap");
	is(read(ends[0], subbuf, subbuf_size), subbuf_size,
	   "splice: the whole sub-buffer is in the pipe");
	end = RBMAP_SUBBUF_HEADER_SIZE + subbuf_commit(subbuf) +
	      sizeof(unsigned long);
	ok(end < subbuf_size, "splice: the sub-buffer is not full");
	ok(all_zero(subbuf + end, subbuf + subbuf_size),
	   "splice: zeroes behind the sub-buffer's events");
	pipe_close(ends);
	close(fd);
	free(subbuf);
}

void theme_own(void)
{
	percent(0);
	test_meta();
	test_lost_map();
	test_drops_map();
	test_drops_read();
	test_lower_percent_map();
	test_lower_percent_splice();
	test_observe_after_splice();
	test_behind_events();
	test_stopped("read", wait_by_read, false);
	test_stopped("read", wait_by_read, true);
	test_stopped("splice", wait_by_splice, false);
	test_stopped("splice", wait_by_splice, true);
	test_stopped("GET_READER", wait_by_get_reader, false);
	test_stopped("GET_READER", wait_by_get_reader, true);
	test_observe("read", wait_by_read);
	test_observe("splice", wait_by_splice);
	test_observe("GET_READER", wait_by_get_reader);
}
