// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader, built for the kernel's word size and for 32 bits (compat32-m32). A
 * map, read(), splice(), an observer and librbmap must find each event of a
 * 64-bit kernel, and the number of lost events.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../userspace/lib/rbmap.h"
#include "client.h"
#include "layout.h"
#include "tap.h"

#define EVENTS	500		/* fewer than the ring holds */
#define MANY	6000		/* more than the ring holds */
#define LEN	40
#define BITS	((int)sizeof(void *) * 8)

static char copy[MAX_SUBBUF] __attribute__((aligned(8)));
static uint64_t emitted;

static uint64_t fill(uint64_t count)
{
	const uint64_t first = emitted;

	reset();
	emitted += count;
	is(emit(first, count, LEN), count, "events are written");
	return first;
}

/* Add the events of a sub-buffer, which must follow those of the one before. */
static bool take(const void *subbuf, size_t from, uint64_t *next, uint64_t *n)
{
	uint64_t first, last;
	size_t events = subbuf_events(subbuf, from, &first, &last);

	*n += events;
	if (!events)
		return true;
	if (first != *next || last != first + events - 1)
		return false;
	*next = last + 1;
	return true;
}

static void test_map(void)
{
	struct client client;
	uint64_t next = fill(EVENTS), n = 0;
	uint32_t id;
	bool good = true;
	size_t from;

	if (!client_open(&client, 0, O_RDONLY | O_NONBLOCK))
		bail_out("map: %s", error_name(errno));
	id = client.meta->reader.id;
	from = client.meta->reader.read;
	while (good && !get_reader(client.fd)) {
		if (client.meta->reader.id != id)
			from = 0;
		else if (n && subbuf_commit(client_subbuf(&client)) == from)
			break;
		id = client.meta->reader.id;
		good = take(client_subbuf(&client), from, &next, &n);
		from = subbuf_commit(client_subbuf(&client));
	}
	ok(good && n == EVENTS, "map: %llu of %d events",
	   (unsigned long long)n, EVENTS);
	client_close(&client);
}

/* Check the number of lost events, too: a word of 64 bits behind the events. */
static void test_read(void)
{
	uint64_t next = fill(MANY), n = 0, lost = 0, more;
	int fd = device_open(0, O_RDONLY | O_NONBLOCK);
	bool good = true;
	ssize_t got;

	while (good && (got = read(fd, copy, sizeof(copy))) > 0) {
		good = subbuf_lost(copy, got, &more);
		lost += more;
		next += more;
		good = good && take(copy, 0, &next, &n);
	}
	ok(good && lost && n + lost == MANY,
	   "read: %llu events and %llu lost are %d",
	   (unsigned long long)n, (unsigned long long)lost, MANY);
	close(fd);
}

static void test_splice(void)
{
	uint64_t next = fill(EVENTS), n = 0;
	int fd = device_open(0, O_RDONLY | O_NONBLOCK), pipes[2];
	const size_t page = sysconf(_SC_PAGESIZE);
	bool good = true;

	if (pipe2(pipes, O_NONBLOCK))
		bail_out("pipe: %s", error_name(errno));
	while (good && splice(fd, NULL, pipes[1], NULL, page, 0) > 0) {
		good = read(pipes[0], copy, page) == (ssize_t)page;
		good = good && take(copy, 0, &next, &n);
	}
	/* Read the sub-buffer that the writer has not left yet. */
	while (good && read(fd, copy, page) > 0)
		good = take(copy, 0, &next, &n);
	ok(good && n == EVENTS, "splice and read: %llu of %d events",
	   (unsigned long long)n, EVENTS);
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
}

/* The offset of the slot table needs more than 32 bits. */
static void test_observe(void)
{
	const uint64_t begin = fill(EVENTS);
	const struct rbmap_slot_table *table;
	struct client client = { .fd = device_open(0, O_RDONLY) };
	uint64_t next = begin, n = 0, seq;
	bool good = true;

	if (ioctl(client.fd, RBMAP_IOCTL_OBSERVE) || !client_map(&client))
		bail_out("observe: %s", error_name(errno));
	table = mmap(NULL, client.meta->slot_table_size, PROT_READ, MAP_SHARED,
		     client.fd, client.meta->slot_table_offset);
	ok(table != MAP_FAILED, "observe: the slot table at %llx is mapped",
	   (unsigned long long)client.meta->slot_table_offset);
	if (table == MAP_FAILED)
		goto out;
	for (seq = client.meta->first_seq; good && seq <= table->newest; seq++) {
		uint64_t slot = table->slot[seq % (client.nr_subbufs - 1)].slot;
		uint32_t id = RBMAP_TABLE_ID(slot);

		good = slot == RBMAP_TABLE_SLOT(seq, id) &&
		       take(client.data + id * client.subbuf_size, 0, &next, &n);
	}
	ok(good && n == EVENTS, "observe: %llu of %d events",
	   (unsigned long long)n, EVENTS);
	munmap((void *)table, client.meta->slot_table_size);
out:
	client_close(&client);
}

static bool is_ours(const struct rbmap_event *event, uint64_t *number)
{
	const struct record record = {
		.payload = event->data,
		.size = event->size,
	};

	return record_number(&record, number);
}

static void test_library(bool observes)
{
	const char *name = observes ? "librbmap observes" : "librbmap reads";
	uint64_t next = fill(EVENTS), n = 0, number;
	struct rbmap_event event;
	struct rbmap_map *map;
	bool good = true;
	int ret;

	ret = observes ? rbmap_observe(&map, 0, 0) : rbmap_open(&map, 0, 0);
	if (!is(ret, 0, "%s: %s", name, rbmap_strerror(ret)))
		return;
	while (good && (ret = rbmap_next_event(map, &event)) > 0) {
		good = is_ours(&event, &number) && number == next;
		next++;
		n++;
	}
	ok(good && !ret && n == EVENTS, "%s: %llu of %d events", name,
	   (unsigned long long)n, EVENTS);
	rbmap_close(map);
}

int main(int argc, char **argv)
{
	target_options(argc, argv);
	diag("a program of %d bits", BITS);
	pin(0);
	set_overwrite(true);
	test_map();
	test_read();
	test_splice();
	test_observe();
	test_library(false);
	test_library(true);
	return done_testing();
}
