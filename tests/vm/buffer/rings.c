// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rings of a CPU: another size or another clock replaces the ring, and the
 * old ring can be read to its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CPU	0
#define SMALL	24	/* bytes of text in an event */

static uint64_t number;		/* number of the next event */
static size_t subbuf_size;

static uint64_t more(uint64_t count, size_t len)
{
	uint64_t taken = emit(number, count, len);

	number += count;
	return taken;
}

/* Empty the ring, and make it readable from the first event on. */
static void fresh(void)
{
	set_overwrite(true);
	set_number("buffer_percent", 0);
	if (!reset())
		bail_out("reset: %s", error_name(errno));
}

/* Call GET_READER. Return the number of events that it made readable. */
static size_t take(struct client *client, uint64_t *first, uint64_t *last)
{
	return get_reader(client->fd) ? 0 : client_new_events(client, first, last);
}

static bool times_within(const void *subbuf, uint64_t from, uint64_t to)
{
	struct record record;
	struct cursor cursor;

	cursor_begin(&cursor, subbuf);
	while (cursor_next(&cursor, &record))
		if (record.time < from || record.time > to)
			return false;
	return !cursor.bad;
}

/* Read the unread events, and then the end of the ring. */
static void test_old_ring(struct client *client, const char *name,
			  uint64_t unread)
{
	struct pollfd pollfd = { .fd = client->fd, .events = POLLIN };
	uint64_t first = 0, last = 0, events = 0, got;
	int error;

	is(client->meta->retired, 1, "%s: the old ring is retired", name);
	while (poll(&pollfd, 1, 0) == 1 && pollfd.revents == POLLIN &&
	       (got = take(client, &first, &last)))
		events += got;
	is(events, unread, "%s: the old ring can be read", name);
	is(poll(&pollfd, 1, 0) == 1 ? pollfd.revents : 0, POLLIN | POLLHUP,
	   "%s: poll reports the end of the old ring", name);
	error = get_reader(client->fd);
	is_error(error, ESTALE,
		 "%s: GET_READER reports the end of the old ring", name);
	is_error(get_reader(client->fd), ESTALE,
		 "%s: GET_READER reports the end again", name);
	is(client->meta->entries, client->meta->read,
	   "%s: the old ring has no unread event", name);
	is(stat_of(CPU, "retired rings"), 1,
	   "%s: the old ring exists while it is mapped",
	   name);
}

/* Each CPU continues in another ring, and its old ring can still be read. */
static void test_another_ring(const char *name, const char *setting,
			      const char *value, const char *back, bool take_first)
{
	uint64_t from, to, first = 0, last = 0;
	struct client client;
	uint32_t generation;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	generation = client.meta->generation;
	more(3, SMALL);
	if (take_first)
		is(take(&client, &first, &last), 3,
		   "%s: three events are read", name);
	more(3, SMALL);
	ok(set(setting, value), "%s: the setting changes", name);
	is(stat_of(CPU, "entries"), take_first ? 3 : 6,
	   "%s: no event is lost", name);
	from = now();
	more(3, SMALL);
	to = now();
	test_old_ring(&client, name, take_first ? 3 : 6);

	client_unmap(&client);
	ok(client_map(&client), "%s: the next ring is mapped", name);
	is(client.meta->generation, generation + 1,
	   "%s: the map has the next generation", name);
	is(get_reader(client.fd), 0, "%s: GET_READER in the next ring", name);
	is(client.meta->read, 3, "%s: the next ring's events are read", name);
	subbuf_events(client_subbuf(&client), 0, &first, &last);
	ok(first == number - 3 && last == number - 1,
	   "%s: the events are the new ones", name);
	if (client.meta->clock == RBMAP_CLOCK_MONO)
		ok(times_within(client_subbuf(&client), from, to),
		   "%s: the events have the clock's times", name);
	is(stat_of(CPU, "retired rings"), 0, "%s: the old ring is freed", name);
	is(stat_of(CPU, "read events"), 9,
	   "%s: all read events are counted", name);
	client_close(&client);
	set(setting, back);
}

static void test_another_size(const char *name, const char *setting,
			      uint64_t kb, uint64_t back_kb)
{
	char value[24], back[24], reader_in[32];

	snprintf(value, sizeof(value), "%" PRIu64, kb);
	snprintf(back, sizeof(back), "%" PRIu64, back_kb);
	snprintf(reader_in, sizeof(reader_in), "%s, reader in", name);
	test_another_ring(name, setting, value, back, false);
	test_another_ring(reader_in, setting, value, back, true);
}

/* read() goes through the rings in turn, and so does a file that is opened later. */
static void test_read_rings(void)
{
	char *subbuf = malloc(2 * subbuf_size);
	uint64_t first = 0, last = 0;
	int i, fd;

	fresh();
	for (i = 0; i < 3; i++) {
		more(2, SMALL);
		set("trace_clock", i % 2 ? "local" : "mono");
	}
	set("trace_clock", "local");
	more(2, SMALL);
	is(stat_of(CPU, "retired rings"), 3,
	   "rings: replaced rings with events wait");
	ok(stat_of(CPU, "retired bytes") > 0,
	   "rings: stats has the memory of replaced rings");
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	for (i = 0; i < 4; i++) {
		is(read(fd, subbuf, subbuf_size), subbuf_size,
		   "rings: read %d", i);
		subbuf_events(subbuf, 0, &first, &last);
		ok(first == number - 8 + 2 * i && last == first + 1,
		   "rings: events of ring %d", i);
	}
	is_error(read(fd, subbuf, subbuf_size) < 0 ? errno : 0, EAGAIN,
		 "rings: no further event");
	is(stat_of(CPU, "retired rings"), 0, "rings: no replaced ring is left");

	for (i = 0; i < 3; i++) {
		more(2, SMALL);
		set("trace_clock", i % 2 ? "local" : "mono");
	}
	close(fd);
	fresh();
	is(stat_of(CPU, "retired rings"), 0,
	   "rings: reset frees all replaced rings");
	is(stat_of(CPU, "entries"), 0, "rings: reset drops the unread events");
	set("trace_clock", "local");
	free(subbuf);
}

static void test_sizes(void)
{
	static const char * const bad[] = { "0", "-1", "x", "3 4" };
	uint64_t kb = subbuf_size >> 9, was = stat_of(CPU, "slots");
	char per_cpu[64];
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(!set("buffer_size_kb", bad[i]) && errno == EINVAL,
		   "sizes: \"%s\" is refused", bad[i]);
	ok(!set("buffer_size_kb", "99999999999") && errno == EINVAL,
	   "sizes: more slots than possible are refused");
	ok(!set("buffer_size_kb", "250000") && errno == ENOMEM,
	   "sizes: more memory than the machine has is refused");
	ok(!set("buffer_subbuf_size_kb", "12") && errno == EINVAL,
	   "sizes: a size that is not a power of two is refused");
	is(stat_of(CPU, "slots"), was, "sizes: the old ring is untouched");

	snprintf(per_cpu, sizeof(per_cpu), "per_cpu/cpu%d/buffer_size_kb", CPU);
	ok(set_number(per_cpu, kb), "sizes: the size of one CPU changes");
	is(stat_of(CPU, "slots") * stat_of(CPU, "subbuf size"), kb << 10,
	   "sizes: the CPU's ring has the new size");
	ok(stat_of(CPU + 1, "slots") != stat_of(CPU, "slots"),
	   "sizes: other CPUs keep their size");
	ok(set_number("buffer_size_kb", was * subbuf_size >> 10),
	   "sizes: the size of all CPUs changes");
	is(stat_of(CPU, "slots"), was,
	   "sizes: the CPU's ring has its old size again");
}

int main(int argc, char **argv)
{
	uint64_t size_kb;

	target_options(argc, argv);
	pin(CPU);
	subbuf_size = stat_of(CPU, "subbuf size");
	size_kb = stat_of(CPU, "slots") * subbuf_size >> 10;
	test_another_ring("clock", "trace_clock", "mono", "local", false);
	test_another_ring("clock, reader in", "trace_clock", "mono", "local",
			  true);
	test_another_size("size", "buffer_size_kb", 2 * size_kb, size_kb);
	test_another_size("sub-buffers", "buffer_subbuf_size_kb",
			  subbuf_size >> 8, subbuf_size >> 10);
	test_read_rings();
	test_sizes();
	set_number("buffer_percent", 50);
	return done_testing();
}
