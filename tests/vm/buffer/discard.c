// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that are thrown away count as discarded, and not as read: by
 * RBMAP_IOCTL_DISCARD and by a reset.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CPU		0
#define SNAPSHOT	"/dev/rbmap/snapshot/cpu0"
#define LEN		24

static int discard(int fd)
{
	return ioctl(fd, RBMAP_IOCTL_DISCARD) < 0 ? errno : 0;
}

/* A ring of 16 sub-buffers, with all counters at their beginning. */
static void begin(void)
{
	set("tracing_on", "1");
	set("snapshot", "0");
	set("buffer_size_kb", "64");
	reset();
}

static void counts(const char *text, uint64_t discarded, uint64_t emitted,
		   uint64_t read, uint64_t unread)
{
	is(stat_of(CPU, "discarded"), discarded, "%s: events are discarded", text);
	is(stat_of(CPU, "emitted"), emitted, "%s: events stay emitted", text);
	is(stat_of(CPU, "read events"), read, "%s: events are read", text);
	is(stat_of(CPU, "entries"), unread, "%s: events are unread", text);
}

/* The next events that a client gets begin with this number. */
static void gets(struct client *client, uint64_t first, uint64_t nr, const char *text)
{
	uint64_t from = 0, to = 0;
	size_t got;

	is_error(get_reader(client->fd), 0, "%s: GET_READER finds events", text);
	got = client_new_events(client, &from, &to);
	is(got, nr, "%s: number of events", text);
	is(from, first, "%s: the first event", text);
}

/* Go on where the meta-page says. */
static void find_position(struct client *client)
{
	client->id = client->meta->reader.id;
	client->seen = client->meta->reader.read;
	client->any = true;
}

static void discard_unread(struct client *client, const char *text)
{
	is_error(discard(client->fd), 0, "%s: events are discarded", text);
	find_position(client);
}

static void gets_nothing(struct client *client, const char *text)
{
	uint64_t first, last;

	is_error(get_reader(client->fd), 0, "%s: GET_READER", text);
	is(client_new_events(client, &first, &last), 0, "%s: no event is left", text);
	is(client->meta->reader.lost_events, 0, "%s: no loss is left", text);
}

static void test_counts(void)
{
	struct client client;
	uint64_t before;

	begin();
	before = stat_of(CPU, "discarded");
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	is_error(discard(client.fd), 0, "an empty ring has nothing to discard");
	counts("empty", before, 0, 0, 0);
	emit(0, 5, LEN);
	gets(&client, 0, 5, "before");
	emit(5, 7, LEN);
	discard_unread(&client, "partly read");
	counts("partly read", before + 7, 5, 5, 0);
	is(client.meta->read, 5, "the meta-page has the events that were read");
	is(client.meta->entries, 5, "the meta-page lacks discarded events");
	ok(client.meta->discarded >= 7, "the meta-page counts discarded events");
	gets_nothing(&client, "partly read");
	emit(12, 3, LEN);
	gets(&client, 12, 3, "after");
	counts("read again", before + 7, 8, 8, 0);
	client_close(&client);
}

static void test_position(void)
{
	struct client client;
	uint64_t first = 0, last;

	begin();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	emit(0, 1000, LEN);
	discard_unread(&client, "position");
	emit(1000, 1, LEN);
	is_error(get_reader(client.fd), 0, "position: GET_READER");
	is(client_new_events(&client, &first, &last), 1,
	   "one event is behind the position of the meta-page");
	is(first, 1000, "it is the next event");
	client_close(&client);
}

static void test_lost(void)
{
	struct client client;
	uint64_t overrun;

	begin();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	emit(0, 20000, LEN);
	overrun = stat_of(CPU, "overrun");
	ok(overrun > 0, "events are overwritten");
	discard_unread(&client, "overwritten");
	is(stat_of(CPU, "overrun"), overrun, "a discard keeps the number of losses");
	is(stat_of(CPU, "lost reported"), overrun, "losses count as reported");
	is(stat_of(CPU, "emitted"), overrun, "only lost events stay emitted");
	emit(20000, 1, LEN);
	gets(&client, 20000, 1, "after a loss");
	is(client.meta->reader.lost_events, 0, "the loss is not reported again");
	client_close(&client);
}

/* Dropped events are reported by the next call, too. */
static void test_dropped(void)
{
	struct client client;
	uint64_t dropped;

	begin();
	set_overwrite(false);
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	emit(0, 20000, LEN);
	dropped = stat_of(CPU, "dropped full");
	ok(dropped > 0, "a full ring drops events");
	discard_unread(&client, "dropped");
	is(stat_of(CPU, "lost reported"), dropped, "drops count as reported");
	gets_nothing(&client, "dropped");
	set_overwrite(true);
	client_close(&client);
}

/* Rings that were replaced belong to the same file. */
static void test_replaced(void)
{
	struct client client;
	uint64_t before;

	begin();
	before = stat_of(CPU, "discarded");
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	emit(0, 5, LEN);
	set("buffer_size_kb", "128");
	emit(5, 4, LEN);
	is_error(discard(client.fd), 0, "events of two rings are discarded");
	counts("two rings", before + 9, 0, 0, 0);
	is_error(get_reader(client.fd), ESTALE, "the old ring has ended");
	client_unmap(&client);
	client_map(&client);
	find_position(&client);
	emit(9, 2, LEN);
	gets(&client, 9, 2, "in the new ring");
	client_close(&client);
	is(stat_of(CPU, "retired rings"), 0, "a discard keeps no reference to a ring");
	is(stat_of(CPU, "discarded"), before + 9, "a ring that was freed stays counted");
}

/* Other readers of a snapshot, and the ring, keep their events. */
static void test_snapshot(void)
{
	struct client one, two;
	uint64_t before, first, last;

	begin();
	before = stat_of(CPU, "discarded");
	emit(0, 6, LEN);
	set("snapshot", "1");
	emit(6, 2, LEN);
	one.fd = open(SNAPSHOT, O_RDONLY | O_NONBLOCK);
	two.fd = open(SNAPSHOT, O_RDONLY | O_NONBLOCK);
	client_map(&one);
	client_map(&two);
	is_error(discard(one.fd), 0, "a snapshot's file discards");
	is_error(get_reader(one.fd), ESTALE, "it has no more events");
	is_error(get_reader(two.fd), 0, "another file of the snapshot has them");
	is(subbuf_events(client_subbuf(&two), 0, &first, &last), 6,
	   "another file of the snapshot has all of them");
	counts("beside a snapshot", before, 8, 0, 2);
	reset();
	is(stat_of(CPU, "discarded"), before + 2,
	   "a reset discards the ring's events, and not the snapshot's");
	client_close(&one);
	client_close(&two);
	set("snapshot", "0");
}

/* Map a ring that a snapshot then takes, before anything is read. */
static void open_taken(struct client *client)
{
	begin();
	client_open(client, CPU, O_RDONLY | O_NONBLOCK);
	emit(0, 6, LEN);
	set("snapshot", "1");
	emit(6, 2, LEN);
}

/* A discard covers the ring that the file is in, also if no new file begins there. */
static void test_taken(void)
{
	struct client client;

	open_taken(&client);
	discard_unread(&client, "a taken ring");
	is_error(get_reader(client.fd), ESTALE, "the taken ring has ended");
	client_unmap(&client);
	client_map(&client);
	client.id = client.meta->reader.id;
	client.seen = client.meta->reader.read;
	client.any = true;
	gets_nothing(&client, "behind a taken ring");
	client_close(&client);
	set("snapshot", "0");
}

static void test_taken_by_other(void)
{
	struct client client;
	int fd;

	open_taken(&client);
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	is_error(discard(fd), 0, "a file that begins behind the snapshot discards");
	gets(&client, 0, 6, "a file in the taken ring");
	close(fd);
	client_close(&client);
	set("snapshot", "0");
}

static void test_observer(void)
{
	struct client observer, client;
	uint64_t before, first = 0, last;
	const void *subbuf;

	begin();
	before = stat_of(CPU, "discarded");
	observer.fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	is(ioctl(observer.fd, RBMAP_IOCTL_OBSERVE), 0, "a file observes");
	client_map(&observer);
	emit(0, 5, LEN);
	is_error(discard(observer.fd), EBADF, "an observer cannot discard");
	counts("observed", before, 5, 0, 5);
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	discard(client.fd);
	subbuf = observer.data + client.meta->reader.id * observer.subbuf_size;
	is(subbuf_events(subbuf, 0, &first, &last), 5,
	   "an observer finds discarded events in their sub-buffer");
	client_close(&client);
	client_close(&observer);
}

static void test_reset(void)
{
	uint64_t before;

	begin();
	before = stat_of(CPU, "discarded");
	emit(0, 8, LEN);
	reset();
	counts("reset", before + 8, 0, 0, 0);
	reset();
	counts("reset again", before + 8, 0, 0, 0);
	emit(0, 2, LEN);
	set("buffer_size_kb", "128");
	reset();
	is(stat_of(CPU, "discarded"), before + 10, "a reset discards a replaced ring");
	reset();
	is(stat_of(CPU, "discarded"), before + 10, "a reset keeps the count of freed rings");
}

#define STORM	200000

static void *storm(void *arg)
{
	pin(CPU);
	*(uint64_t *)arg = emit(0, STORM, LEN);
	return NULL;
}

/* Reads and discards by turns, while another thread writes, and rings are replaced. */
static void test_storm(void)
{
	uint64_t emitted = 0, received = 0, before;
	char *subbuf = malloc(MAX_SUBBUF);
	uint64_t first, last;
	bool busy = true;
	pthread_t thread;
	int fd, turn;

	begin();
	before = stat_of(CPU, "discarded");
	fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	pthread_create(&thread, NULL, storm, &emitted);
	for (turn = 0; busy || turn % 50; turn++) {
		if (busy && !pthread_tryjoin_np(thread, NULL))
			busy = false;
		if (turn % 50 == 49)
			discard(fd);
		else if (turn % 120 == 60)
			set("buffer_size_kb", turn % 240 == 60 ? "128" : "64");
		else if (read(fd, subbuf, MAX_SUBBUF) > 0)
			received += subbuf_events(subbuf, 0, &first, &last);
	}
	while (read(fd, subbuf, MAX_SUBBUF) > 0)
		received += subbuf_events(subbuf, 0, &first, &last);
	is(emitted, STORM, "all events are written");
	is(stat_of(CPU, "read events"), received, "what is received counts as read");
	is(received + stat_of(CPU, "lost events") + stat_of(CPU, "discarded") - before,
	   emitted, "received + lost + discarded = emitted");
	printf("# received %" PRIu64 ", lost %" PRIu64 ", discarded %" PRIu64 "\n",
	       received, stat_of(CPU, "lost events"), stat_of(CPU, "discarded") - before);
	is(stat_of(CPU, "lost reported"), stat_of(CPU, "lost events"),
	   "each loss counts as reported");
	close(fd);
	free(subbuf);
}

int main(int argc, char **argv)
{
	target_options(argc, argv);
	pin(CPU);
	test_counts();
	test_position();
	test_lost();
	test_dropped();
	test_replaced();
	test_snapshot();
	test_taken();
	test_taken_by_other();
	test_observer();
	test_reset();
	pin(CPU + 1);
	test_storm();
	return done_testing();
}
