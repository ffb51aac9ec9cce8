// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bytes of the meta-page, of sub-buffers and of events, and how a loss is
 * reported.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi.h"
#include "case.h"
#include "tap.h"

static uint64_t value_at(const void *base, size_t offset, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)base + offset, size);
	return value;
}

static void test_meta(void)
{
	struct client client;
	const char *meta;

	set_overwrite(true);
	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	meta = (const char *)client.meta;
	more(5, SMALL);
	get_reader(client.fd);
	drain(&client);
	case_ok(value_at(meta, 0, 4) == subbuf_size,
		"meta-page: 0: meta_page_size is a sub-buffer's");
	case_text(value_at(meta, 4, 4) == 80 ? "80" :
		  value_at(meta, 4, 4) > 80 ? "more" : "less",
		  target.own ? "more" : "80", "meta-page: 4: meta_struct_len");
	case_ok(value_at(meta, 8, 4) == subbuf_size,
		"meta-page: 8: subbuf_size");
	case_ok(value_at(meta, 12, 4) == nr_subbufs,
		"meta-page: 12: nr_subbufs");
	case_is(value_at(meta, 16, 8), 0, "meta-page: 16: reader.lost_events");
	case_ok(value_at(meta, 24, 4) < nr_subbufs,
		"meta-page: 24: reader.id");
	case_ok(value_at(meta, 28, 4) ==
		subbuf_commit(client_subbuf(&client)),
		"meta-page: 28: reader.read");
	case_is(value_at(meta, 32, 8), 0, "meta-page: 32: flags");
	case_is(value_at(meta, 40, 8), 5, "meta-page: 40: entries");
	case_is(value_at(meta, 48, 8), 0, "meta-page: 48: overrun");
	case_is(value_at(meta, 56, 8), 5, "meta-page: 56: read");
	case_is(value_at(meta, 64, 8), 0, "meta-page: 64: pages_lost");
	overfill(LARGE);
	get_reader(client.fd);
	case_ok(value_at(meta, 64, 8) > 0,
		"meta-page: 64: pages_lost after a loss");
	case_ok(value_at(meta, 72, 8) >= nr_subbufs - 1,
		"meta-page: 72: pages_touched after a lap");
	client_close(&client);
}

/*
 * Each sub-buffer is at the place that its id gives, and no other sub-buffer
 * has its events.
 */
static void test_order(void)
{
	unsigned int per_subbuf = subbuf_size / (LARGE + 32), i, right = 0;
	struct client client;
	uint64_t first = 0, last = 0, expected;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	expected = number;
	more(5 * per_subbuf, LARGE);
	for (i = 0; i < 3; i++) {
		if (!take(&client, &first, &last))
			break;
		right += first == expected;
		expected = last + 1;
	}
	case_is(right, 3, "format: sub-buffers in ascending id: found by it");
	client_close(&client);
}

static void test_header(void)
{
	const struct rbmap_subbuf_header *header;
	struct client client;
	uint64_t from, to;

	set("trace_clock", "mono");
	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	from = now();
	more(1, SMALL);
	to = now();
	get_reader(client.fd);
	header = client_subbuf(&client);
	case_ok(value_at(header, 0, 8) >= from && value_at(header, 0, 8) <= to,
		"format: sub-buffer: 0: time_stamp of the first event");
	case_ok(value_at(header, 8, 8) > SMALL &&
		value_at(header, 8, 8) < 2 * SMALL,
		"format: sub-buffer: 8: commit, bytes of the event");
	case_ok((value_at(header, 16, 4) & 31) * 4 + 4 ==
		value_at(header, 8, 8), "format: sub-buffer: 16: the event");
	client_close(&client);
	set("trace_clock", "local");
}

/* Write an event of @len bytes of text. Return its first byte, and store its size. */
static const uint32_t *one_event(struct client *client, size_t len, size_t *size)
{
	const char *subbuf;
	size_t seen;

	get_reader(client->fd);
	seen = subbuf_commit(client_subbuf(client));
	more(1, len);
	subbuf = client_subbuf(client);
	*size = subbuf_commit(subbuf) - seen;
	return (const uint32_t *)(subbuf + RBMAP_SUBBUF_HEADER_SIZE + seen);
}

static int marker_id(void)
{
	char path[300];
	FILE *file;
	int id = -1;

	snprintf(path, sizeof(path), "%s/events/%s/id", target.control,
		 target.own ? "rbmap/marker" : "ftrace/print");
	file = fopen(path, "re");
	if (!file || fscanf(file, "%d", &id) != 1)
		diag("%s: no number", path);
	if (file)
		fclose(file);
	return id;
}

static void test_events(void)
{
	const struct rbmap_event_common *common;
	struct client client;
	const uint32_t *event;
	uint64_t began;
	size_t size;

	set("trace_clock", "mono");
	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	began = now();
	more(1, SMALL);

	event = one_event(&client, SMALL, &size);
	case_ok((event[0] & 31) >= 1 && (event[0] & 31) <= 28 &&
		4 + 4 * (event[0] & 31) == size,
		"format: event: type_len 1..28 is 4 + 4 * type_len bytes");
	common = (const void *)(event + 1);
	case_ok(common->type == marker_id(),
		"format: event: common_type is that of the format file");
	case_ok(common->pid == (int)syscall(SYS_gettid),
		"format: event: common_pid");
	case_is(common->preempt_count, 0, "format: event: common_preempt_count");
	case_is(common->flags & ~4, 0, "format: event: common_flags");

	event = one_event(&client, LARGE, &size);
	case_is(event[0] & 31, 0, "format: event: larger: type_len 0");
	case_ok(event[1] + 4 == size,
		"format: event: larger: array[0] = payload + 4");

	nap(200);
	event = one_event(&client, SMALL, &size);
	case_is(event[0] & 31, 30, "format: event: time extend after 2^27 ns");
	case_ok(4 + 4 * (event[2] & 31) + 8 == size,
		"format: event: time extend is 8 bytes, the event follows");
	case_ok(((event[0] >> 5) + ((uint64_t)event[1] << 27)) >= 200 * MSEC,
		"format: event: time extend: delta + (array[0] << 27)");
	get_reader(client.fd);
	case_ok(times_within(client_subbuf(&client), began, now()),
		"format: event: times go on to the last");
	client_close(&client);
	set("trace_clock", "local");
}

/*
 * Lost events are reported with events that leave room for a number behind
 * them, and with events that fill a page to its end.
 */
static void test_lost_read(const char *what, size_t len)
{
	char *subbuf = malloc(subbuf_size);
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);
	uint64_t expected, first = 0, last = 0, lost, told = 0, told_here = 0;
	bool right = true, in_place = true, with_events = true;

	expected = overfill(len);
	while (read(fd, subbuf, subbuf_size) == (ssize_t)subbuf_size) {
		right &= subbuf_lost(subbuf, subbuf_size, &lost);
		/*
		 * A sub-buffer without events reports the loss if the next
		 * event leaves no room for the number.
		 */
		told_here += lost;
		if (subbuf_events(subbuf, 0, &first, &last)) {
			in_place &= first - expected == told_here;
			expected = last + 1;
			told_here = 0;
		} else {
			with_events = false;
		}
		told += lost;
	}
	case_ok(right, "lost: read: %s: each number is stored", what);
	case_ok(in_place, "lost: read: %s: it is what is missing there", what);
	case_ok(told > 0, "lost: read: %s: something is", what);
	case_ok(expected == number, "lost: read: %s: up to the last event",
		what);
	/*
	 * A full sub-buffer has no room for the number: its last events come
	 * with the next read. Only an event that fills a sub-buffer alone is
	 * preceded by the number alone.
	 */
	if (len < FULL)
		case_ok(with_events, "lost: read: %s: with events behind it",
			what);
	case_ok(stat_of(CPU, "overrun") == told,
		"lost: read: %s: as overrun has it", what);
	close(fd);
	free(subbuf);
}

/* Length of events that fill a sub-buffer to its end. */
static size_t filling(void)
{
	size_t capacity = subbuf_size - RBMAP_SUBBUF_HEADER_SIZE, size, len;
	struct client client;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	/* The first event may need some bytes more, for its time. */
	one_event(&client, MEDIUM, &size);
	one_event(&client, MEDIUM, &size);
	client_close(&client);
	for (len = (size | 7) + 1; capacity % len; len += 8)
		;
	diag("%zu events of %zu bytes fill %zu, those of %d take %zu",
		 capacity / len, len, capacity, MEDIUM, size);
	return MEDIUM + len - size;
}

static void test_lost_map(void)
{
	uint64_t began, expected, first = 0, last = 0, lost, told = 0;
	bool in_place = true, in_meta = true, flagged = false;
	struct client client;
	size_t events;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	began = overfill(LARGE);
	expected = began;
	while ((events = take(&client, &first, &last))) {
		const void *subbuf = client_subbuf(&client);

		if (!subbuf_lost(subbuf, subbuf_size, &lost))
			lost = first - expected; /* no room for the number */
		if (first != expected)
			flagged = value_at(subbuf, 8, 8) & RBMAP_MISSED_EVENTS;
		in_place &= first - expected == lost;
		in_meta &= client.meta->reader.lost_events == lost;
		told += lost;
		expected = last + 1;
	}
	case_ok(flagged, "lost: map: bit 31 of commit");
	case_ok(in_place, "lost: map: the number is what is missing there");
	case_ok(in_meta, "lost: map: reader.lost_events as well");
	case_ok(told > 0, "lost: map: something is");
	case_ok(expected == number, "lost: map: up to the last event");
	case_ok(client.meta->overrun == told, "lost: map: as overrun has it");
	case_ok(client.meta->entries == number - began, "lost: map: entries");
	case_ok(client.meta->entries - client.meta->overrun ==
		client.meta->read, "lost: map: entries = overrun + read");
	client_close(&client);
}

/*
 * Discard mode: do the processes that map a full ring learn how many events it
 * dropped?
 */
static void test_dropped(void)
{
	uint64_t tried = (nr_subbufs + 3) * (subbuf_size / LARGE), taken, lost;
	uint64_t told = 0, events = 0, got, last = 0;
	struct client client;

	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	set_overwrite(false);
	fresh();
	taken = more(tried, LARGE);
	case_ok(taken < tried, "dropped: a full ring drops events");
	for (;;) {
		uint32_t id = client.meta->reader.id;

		got = take(&client, NULL, &last);
		events += got;
		if (client.meta->reader.id == id && !got)
			break;
		if (client.meta->reader.id != id) {
			subbuf_lost(client_subbuf(&client), subbuf_size, &lost);
			told += lost;
		}
	}
	set_overwrite(true);
	case_ok(events == taken, "dropped: the recorded events can be read");
	case_is(client.meta->overrun, 0, "dropped: a drop is not an overrun");
	case_text(told == tried - taken ? "all" : told ? "some" : "none", "all",
		  "dropped: told in the map");
	more(1, SMALL);
	take(&client, NULL, &last);
	case_ok(last == number - 1, "dropped: events continue");
	client_close(&client);
}

void theme_format(void)
{
	test_meta();
	test_order();
	test_header();
	test_events();
	test_lost_read("large events", LARGE);
	test_lost_read("full pages", filling());
	test_lost_read("a page each", FULL);
	test_lost_map();
	test_dropped();
}
