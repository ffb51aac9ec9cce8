// SPDX-License-Identifier: GPL-2.0-only
/*
 * Snapshots: the events of the rings, read in each way and any number of times,
 * with a reader of the rings that loses nothing, and without a reader.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CPU	0
#define LEN	24	/* bytes of text in an event */
#define SNAPSHOT "/dev/rbmap/snapshot/cpu%d"

static uint64_t number;		/* number of the next event */
static size_t subbuf_size;

static void more(uint64_t count)
{
	emit(number, count, LEN);
	number += count;
}

static void fresh(void)
{
	set_overwrite(true);
	set_number("buffer_percent", 0);
	if (!reset() || !set("snapshot", "0"))
		bail_out("reset: %s", error_name(errno));
}

static int snapshot_open(void)
{
	char path[64];

	snprintf(path, sizeof(path), SNAPSHOT, CPU);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The result of reading in one way. */
struct reading {
	uint64_t	events;
	uint64_t	first;
	uint64_t	last;
	uint64_t	lost;
	bool		in_order;
};

static void reading_add(struct reading *reading, const void *subbuf, size_t from)
{
	uint64_t first = 0, last = 0, lost = 0;
	size_t events = subbuf_events(subbuf, from, &first, &last);

	if (!from && subbuf_lost(subbuf, subbuf_size, &lost))
		reading->lost += lost;
	if (!events)
		return;
	if (!reading->events)
		reading->first = first;
	else if (first != reading->last + 1)
		reading->in_order = false;
	reading->in_order &= last - first + 1 == events;
	reading->last = last;
	reading->events += events;
}

/* Read to the end through the map. A blocking call does not wait there. */
static struct reading read_map(int fd)
{
	struct reading reading = { .in_order = true };
	struct client client = { .fd = fd };
	size_t from = 0;
	uint32_t id;

	if (!client_map(&client)) {
		ok(false, "map a snapshot: %s", error_name(errno));
		return reading;
	}
	ok(client.meta->snapshot && client.meta->retired,
	   "the meta-page says what it is");
	for (;;) {
		id = client.meta->reader.id;
		from = client.any ? client.seen : client.meta->reader.read;
		if (get_reader(fd))
			break;
		if (client.meta->reader.id != id)
			from = 0;
		client.any = true;
		client.seen = subbuf_commit(client_subbuf(&client));
		reading_add(&reading, client_subbuf(&client), from);
	}
	is_error(get_reader(fd), ESTALE,
		 "GET_READER reports the end of the snapshot");
	is(client.meta->entries, client.meta->read + client.meta->overrun,
	   "the snapshot's map has no further event");
	client_unmap(&client);
	return reading;
}

static struct reading read_read(int fd)
{
	struct reading reading = { .in_order = true };
	char *subbuf = malloc(subbuf_size);
	ssize_t got;

	while ((got = read(fd, subbuf, subbuf_size)) == (ssize_t)subbuf_size)
		reading_add(&reading, subbuf, 0);
	is(got, 0, "read ends with 0");
	free(subbuf);
	return reading;
}

static struct reading read_splice(int fd)
{
	struct reading reading = { .in_order = true };
	char *subbuf = malloc(subbuf_size);
	size_t got;
	ssize_t ret;
	int ends[2];

	if (pipe(ends))
		bail_out("pipe: %s", error_name(errno));
	while ((ret = splice(fd, NULL, ends[1], NULL, subbuf_size, 0)) > 0) {
		for (got = 0; got < subbuf_size; got += ret) {
			ret = read(ends[0], subbuf + got, subbuf_size - got);
			if (ret <= 0)
				bail_out("the pipe is empty");
		}
		reading_add(&reading, subbuf, 0);
	}
	is(ret, 0, "splice ends with 0");
	close(ends[0]);
	close(ends[1]);
	free(subbuf);
	return reading;
}

static struct reading (*const ways[])(int fd) = {
	read_map, read_read, read_splice,
};
static const char *const names[] = { "map", "read", "splice" };

static void check(const char *text, struct reading reading, uint64_t first,
		  uint64_t events)
{
	is(reading.events, events, "%s: events", text);
	ok(reading.in_order && (!events || (reading.first == first &&
	   reading.last == first + events - 1)), "%s: the right events", text);
}

/* Read the snapshot in each way, twice. */
static void check_snapshot(const char *text, uint64_t first, uint64_t events)
{
	char name[96];
	int i, fd;

	for (i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "%s, %s", text, names[i % 3]);
		fd = snapshot_open();
		ok(fd >= 0, "%s: the snapshot opens", name);
		check(name, ways[i % 3](fd), first, events);
		close(fd);
	}
}

static void test_without_reader(void)
{
	uint64_t first;
	int fd, old;

	fresh();
	is_error(snapshot_open() < 0 ? errno : 0, ENODATA,
		 "without a snapshot its device cannot be opened");
	first = number;
	more(500);
	ok(set("snapshot", "1"), "a snapshot is taken");
	more(20);
	check_snapshot("alone", first, 500);
	is(stat_of(CPU, "snapshot events"), 500,
	   "stats count the snapshot's events");
	is(stat_of(CPU, "entries"), 20,
	   "stats count the events of the new ring");
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	{
		struct reading reading = { .in_order = true };
		char *subbuf = malloc(subbuf_size);

		while (read(fd, subbuf, subbuf_size) > 0)
			reading_add(&reading, subbuf, 0);
		check("a new file begins behind it", reading, first + 500, 20);
		free(subbuf);
	}
	close(fd);

	/* Take another snapshot while the first is open. */
	old = snapshot_open();
	more(30);
	ok(set("per_cpu/cpu0/snapshot", "1"), "another snapshot, of one CPU");
	check("the open one stays", read_read(old), first, 500);
	check_snapshot("the other one", first + 520, 30);
	close(old);
	ok(set("snapshot", "0"), "the snapshot is freed");
	is_error(snapshot_open() < 0 ? errno : 0, ENODATA,
		 "without a snapshot again: its device cannot be opened");
	is(stat_of(CPU, "retired rings"), 0, "no ring of a snapshot is left");
}

static void test_with_reader(void)
{
	struct reading reading = { .in_order = true };
	char *subbuf = malloc(subbuf_size);
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK), i;
	uint64_t first;

	fresh();
	first = number;
	while (read(fd, subbuf, subbuf_size) > 0)
		;
	more(100);
	/*
	 * The reader has consumed the first sub-buffer with unread events; the
	 * snapshot has the later ones.
	 */
	ok(read(fd, subbuf, subbuf_size) > 0, "a reader has read some events");
	reading_add(&reading, subbuf, 0);
	for (i = 0; i < 3; i++) {
		ok(set("snapshot", "1"), "snapshot %d while there is a reader", i);
		if (!i)
			check_snapshot("the unread events",
				       first + reading.events,
				       100 - reading.events);
		more(100);
	}
	while (read(fd, subbuf, subbuf_size) > 0)
		reading_add(&reading, subbuf, 0);
	check("the reader misses nothing", reading, first, 400);
	set("snapshot", "0");
	is(stat_of(CPU, "retired rings"), 0,
	   "no ring is left when the reader is done");
	is(stat_of(CPU, "read events"), 400, "stats count all events as read");
	close(fd);
	free(subbuf);
}

/*
 * Losses: overwritten events, dropped events, and events dropped behind the
 * last one.
 */
static void test_losses(void)
{
	struct reading reading;
	uint64_t lost, i;
	int fd;

	for (i = 0; i < 2; i++) {
		fresh();
		set_overwrite(!i);
		more(20000);
		lost = stat_of(CPU, "lost events");
		ok(lost > 0, "some events are lost: %" PRIu64, lost);
		set("snapshot", "1");
		fd = snapshot_open();
		reading = read_read(fd);
		is(reading.events + lost, 20000,
		   "the snapshot has all other events");
		is(reading.lost, lost,
		   "the snapshot reports the number of lost events");
		close(fd);
	}
	set_overwrite(true);
}

static void test_fd(void)
{
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK), snapshots[3], i;
	uint64_t first;

	fresh();
	first = number;
	for (i = 0; i < 3; i++) {
		more(50);
		snapshots[i] = ioctl(fd, RBMAP_IOCTL_SNAPSHOT);
		ok(snapshots[i] >= 0, "ioctl: snapshot %d", i);
		ok(fcntl(snapshots[i], F_GETFD) & FD_CLOEXEC,
		   "ioctl: closed on exec");
	}
	is_error(snapshot_open() < 0 ? errno : 0, ENODATA,
		 "ioctl: the device has no snapshot");
	is_error(ioctl(snapshots[0], RBMAP_IOCTL_SNAPSHOT) < 0 ? errno : 0,
		 ENOTTY, "ioctl: a snapshot of a snapshot is refused");
	close(fd);
	for (i = 0; i < 3; i++) {
		check("ioctl: its own events", ways[i](snapshots[i]),
		      first + 50 * i, 50);
		close(snapshots[i]);
	}
	is(stat_of(CPU, "retired rings"), 0, "ioctl: no ring is left");
}

static void test_poll(void)
{
	struct pollfd pollfd = { .events = POLLIN };

	fresh();
	more(5);
	set("snapshot", "1");
	pollfd.fd = snapshot_open();
	ok(poll(&pollfd, 1, 0) == 1 && pollfd.revents == POLLIN,
	   "poll: the snapshot is readable");
	read_read(pollfd.fd);
	ok(poll(&pollfd, 1, 0) == 1 && pollfd.revents == (POLLIN | POLLHUP),
	   "poll: the snapshot is at its end");
	close(pollfd.fd);
	set("snapshot", "0");
}

int main(int argc, char **argv)
{
	target_options(argc, argv);
	pin(CPU);
	subbuf_size = stat_of(CPU, "subbuf size");
	test_without_reader();
	test_with_reader();
	test_losses();
	test_fd();
	test_poll();
	set_number("buffer_percent", 50);
	return done_testing();
}
