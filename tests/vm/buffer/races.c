// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two threads change a CPU's ring at the same moment.
 *
 *	races sizes ROUNDS	one sets the size of rings, the other one the size
 *				of sub-buffers
 *	races reset ROUNDS	CPU 1 writes while its ring is reset: a new map of
 *				the ring then begins behind the reset
 *	races offline ROUNDS	CPU 1 is offline: one reads its ring to the end, which
 *				closes a sub-buffer there, the other one resizes it
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CPU	1
#define EVENTS	2000	/* more than the smallest ring holds */

static unsigned int arrived;
static unsigned long rounds;
static char size_file[64], subbuf_file[64];

/*
 * Let both threads continue at once. A barrier of the C library would let one
 * of them sleep, and a sleeping thread would come too late.
 */
static void meet(void)
{
	unsigned int mine = __atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);

	while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < (mine | 1) + 1)
		;
}

static int open_file(const char *name)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", target.control, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		bail_out("%s: %s", path, error_name(errno));
	return fd;
}

static bool put_number(int fd, unsigned long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", number);
	return pwrite(fd, text, strlen(text), 0) > 0;
}

/*
 * Delay one of the two, by a little more in each round, so that some rounds hit
 * the race.
 */
static void lag(unsigned long round, bool second)
{
	volatile unsigned long n = round % 2 == second ? round / 2 % 64 * 40 : 0;

	while (n)
		n--;
}

static unsigned long size_of(unsigned long round)
{
	return 64 * (1 + round % 16);
}

static unsigned long subbuf_of(unsigned long round)
{
	return 4UL << round % 4;
}

static void *set_sizes(void *refused)
{
	int fd = open_file(size_file);
	unsigned long i;

	pin(1);

	for (i = 0; i < rounds; i++) {
		meet();
		lag(i, false);
		*(unsigned long *)refused += !put_number(fd, size_of(i));
		meet();
		/* The other thread checks the ring between the two meetings. */
		meet();
	}
	close(fd);
	return NULL;
}

static uint64_t number_in(const char *name)
{
	char path[512], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/%s", target.control, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		bail_out("%s: %s", path, error_name(errno));
	close(fd);
	return strtoull(text, NULL, 10);
}

static void test_sizes(const char *dir)
{
	unsigned long i, lost = 0, refused = 0, refused_there = 0;
	pthread_t thread;
	int fd;

	snprintf(size_file, sizeof(size_file), "%sbuffer_size_kb", dir);
	snprintf(subbuf_file, sizeof(subbuf_file), "%sbuffer_subbuf_size_kb",
		 dir);
	fd = open_file(subbuf_file);
	pin(0);
	if (pthread_create(&thread, NULL, set_sizes, &refused_there))
		bail_out("no thread");
	for (i = 0; i < rounds; i++) {
		meet();
		lag(i, true);
		refused += !put_number(fd, subbuf_of(i));
		meet();
		lost += number_in(size_file) != size_of(i) ||
			number_in(subbuf_file) != subbuf_of(i);
		meet();
	}
	pthread_join(thread, NULL);
	close(fd);
	is(refused + refused_there, 0, "%s: each size is accepted", size_file);
	is(lost, 0, "%s: two sizes that are set at once are both obeyed",
	   size_file);
}

static void *resize(void *refused)
{
	unsigned long i;

	for (i = 0; i < rounds; i++) {
		meet();
		*(unsigned long *)refused += !set_number(size_file,
							 16 + 16 * (i % 2));
		meet();
	}
	return NULL;
}

/*
 * Count the events that the reader has not returned yet. A success of
 * GET_READER does not mean that there are more events.
 */
static uint64_t drain(struct client *client)
{
	uint64_t events = 0;

	while (!get_reader(client->fd)) {
		bool swapped = !client->any || client->meta->reader.id != client->id;
		size_t new = client_new_events(client, NULL, NULL);

		if (!swapped && !new)
			break;
		events += new;
	}
	return events;
}

static void test_offline(void)
{
	unsigned long i, refused = 0, bad = 0;
	struct client client;
	pthread_t thread;

	snprintf(size_file, sizeof(size_file), "per_cpu/cpu%d/buffer_size_kb",
		 CPU);
	set_overwrite(false);
	if (!set_number("buffer_subbuf_size_kb", 4) ||
	    !set_number(size_file, 16 * 3))
		bail_out("%s: %s", size_file, error_name(errno));
	if (pthread_create(&thread, NULL, resize, &refused))
		bail_out("no thread");
	for (i = 0; i < rounds; i++) {
		uint64_t got;

		if (!reset())
			bail_out("reset: %s", error_name(errno));
		pin(CPU);
		emit(0, EVENTS, 24);
		pin(0);
		if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
			bail_out("open: %s", error_name(errno));
		if (!set_online(CPU, false))
			bail_out("CPU %d: %s", CPU, error_name(errno));
		meet();
		got = drain(&client);
		meet();
		got += drain(&client);
		if (got + client.meta->lost != EVENTS) {
			diag("round %lu: %" PRIu64 " read, %" PRIu64 " lost, of %d",
			     i, got, (uint64_t)client.meta->lost, EVENTS);
			bad++;
		}
		client_close(&client);
		if (!set_online(CPU, true))
			bail_out("CPU %d: %s", CPU, error_name(errno));
	}
	pthread_join(thread, NULL);
	is(refused, 0, "each size is accepted");
	is(bad, 0, "%lu times a ring of a CPU that is off line is read and replaced at once, and no event is missed",
	   rounds);
}

static uint64_t written;
static bool enough;

static void *write_on(void *unused)
{
	(void)unused;
	pin(CPU);
	while (!__atomic_load_n(&enough, __ATOMIC_RELAXED)) {
		if (!emit_one(written, 24))
			bail_out("marker: %s", error_name(errno));
		__atomic_store_n(&written, written + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/*
 * Find the number of the first unread event of a new map. Return false if the map
 * has no event.
 */
static bool first_mapped(uint64_t *first)
{
	struct client client;
	uint64_t last;
	size_t from = 0;
	bool got;

	if (!client_open(&client, CPU, O_RDONLY | O_NONBLOCK))
		bail_out("open: %s", error_name(errno));
	client.id = client.meta->reader.id;
	client.seen = client.meta->reader.read;
	if (get_reader(client.fd))
		bail_out("GET_READER: %s", error_name(errno));
	if (client.meta->reader.id == client.id)
		from = client.seen;
	got = subbuf_events(client_subbuf(&client), from, first, &last);
	client_close(&client);
	return got;
}

static void test_reset(void)
{
	unsigned long i, found = 0, forgotten = 0;
	pthread_t thread;

	set_overwrite(true);
	pin(0);
	if (pthread_create(&thread, NULL, write_on, NULL))
		bail_out("no thread");
	/* A busy machine may not run the writer for all of these rounds. */
	for (i = 0; i < rounds || (!found && i < 1000 * rounds); i++) {
		uint64_t before, first;

		before = __atomic_load_n(&written, __ATOMIC_ACQUIRE);
		if (!reset())
			bail_out("reset: %s", error_name(errno));
		if (!first_mapped(&first))
			continue;
		found++;
		forgotten += first < before;
	}
	__atomic_store_n(&enough, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ok(found, "%lu times of %lu a map found events after a reset", found, i);
	is(forgotten, 0, "no map found events from before the reset");
}

int main(int argc, char **argv)
{
	int at = target_options(argc, argv);

	if (argc - at != 2)
		bail_out("races sizes|reset|offline ROUNDS");
	rounds = strtoul(argv[at + 1], NULL, 0);
	if (!strcmp(argv[at], "sizes")) {
		test_sizes("");
		test_sizes("per_cpu/cpu0/");
	} else if (!strcmp(argv[at], "reset")) {
		test_reset();
	} else {
		test_offline();
	}
	return done_testing();
}
