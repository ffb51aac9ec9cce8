// SPDX-License-Identifier: GPL-2.0-only
/* read() copies sub-buffers. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi.h"
#include "case.h"
#include "tap.h"

static int read_error(int fd, void *to, size_t len)
{
	return read(fd, to, len) < 0 ? errno : 0;
}

/* The result of a read in bytes, or "a sub-buffer" for one of any size. */
static const char *read_word(int fd, void *to, size_t len)
{
	static char word[24];
	ssize_t ret = read(fd, to, len);

	if (ret < 0)
		return error_name(errno);
	if (ret == (ssize_t)subbuf_size)
		return "a sub-buffer";
	snprintf(word, sizeof(word), "%zd", ret);
	return word;
}

static void read_whole(int fd, char *subbuf, const char *what)
{
	case_text(read_word(fd, subbuf, subbuf_size), "a sub-buffer",
		  "read: %s", what);
}

static void test_once(int fd, char *subbuf)
{
	uint64_t first = 0, last = 0, from, to, lost;
	size_t commit;

	from = now();
	more(3, SMALL);
	to = now();
	memset(subbuf, 0xff, subbuf_size);
	read_whole(fd, subbuf, "3 events");
	case_is(subbuf_events(subbuf, 0, &first, &last), 3,
		"read: 3 events: all of them");
	case_ok(first == number - 3 && last == number - 1,
		"read: 3 events: the right ones");
	case_ok(times_within(subbuf, from, to), "read: 3 events: their times");
	commit = subbuf_commit(subbuf);
	case_ok(all_zero(subbuf + RBMAP_SUBBUF_HEADER_SIZE + commit,
			 subbuf + subbuf_size), "read: zeroes behind");
	case_ok(subbuf_lost(subbuf, subbuf_size, &lost) && !lost,
		"read: nothing lost");
	case_error(read_error(fd, subbuf, subbuf_size), EAGAIN,
		   "read: all was read");
}

/* Read the same sub-buffer of the ring twice more. */
static void test_again(int fd, char *subbuf)
{
	uint64_t first = 0, last = 0, from, to;
	int i;

	for (i = 2; i <= 3; i++) {
		nap(200); /* longer than 27 bits of nanoseconds */
		from = now();
		more(2, SMALL);
		to = now();
		case_text(read_word(fd, subbuf, subbuf_size), "a sub-buffer",
			  "read: what came since, %d", i);
		case_is(subbuf_events(subbuf, 0, &first, &last), 2,
			"read: what came since, %d: its events", i);
		case_ok(first == number - 2 && last == number - 1,
			"read: what came since, %d: the right ones", i);
		case_ok(times_within(subbuf, from, to),
			"read: what came since, %d: their times", i);
	}
}

/*
 * A read of less than a sub-buffer leaves the rest to the next read of the same
 * file.
 */
static void test_parts(int fd, char *subbuf)
{
	uint64_t first = 0;
	size_t got = 100;
	ssize_t ret;

	fresh();
	more(3, SMALL);
	case_text(read_word(fd, subbuf, 100), "100", "read: 100 bytes");
	more(3, SMALL);
	while (got < subbuf_size) {
		ret = read(fd, subbuf + got, got == 100 ? 33 : subbuf_size);
		if (ret <= 0)
			break;
		got += ret;
	}
	case_ok(got == subbuf_size, "read: in parts: a sub-buffer in all");
	case_is(subbuf_events(subbuf, 0, &first, NULL), 3,
		"read: in parts: as it was at the first");
	case_ok(first == number - 6, "read: in parts: the right ones");
	read_whole(fd, subbuf, "in parts: the next");
	case_is(subbuf_events(subbuf, 0, &first, NULL), 3,
		"read: in parts: the next: events");
	case_ok(first == number - 3, "read: in parts: the next: the right ones");

	/* Read fewer bytes than any event has. */
	fresh();
	more(3, SMALL);
	ret = read(fd, subbuf, 10);
	case_is(ret, 10, "read: 10 bytes");
	got = ret > 0 ? ret : 0;
	ret = read(fd, subbuf + got, 2 * subbuf_size);
	case_ok(ret == (ssize_t)(subbuf_size - got),
		"read: 10 bytes: then the rest, and no more");
	case_is(subbuf_events(subbuf, 0, NULL, NULL), 3,
		"read: 10 bytes: no event is lost");
	fresh();
}

/* Another file gets nothing of the sub-buffer that this file has begun to read. */
static void test_parts_two_files(int fd, char *subbuf)
{
	int other = device_open(CPU, O_RDONLY | O_NONBLOCK);

	fresh();
	more(3, SMALL);
	read(fd, subbuf, subbuf_size / 2);
	case_error(read_error(other, subbuf, subbuf_size), EAGAIN,
		   "read: in parts: nothing for another file");
	case_is(read(fd, subbuf, subbuf_size), subbuf_size / 2,
		"read: in parts: half, and the other half");
	close(other);
	fresh();
}

static void test_read(void)
{
	char *subbuf = malloc(3 * subbuf_size);
	int fd = device_open(CPU, O_RDONLY | O_NONBLOCK);

	if (!set("trace_clock", "mono"))
		bail_out("trace_clock: %s", error_name(errno));
	fresh();
	/*
	 * A short sub-buffer must not be followed by bytes that this file has
	 * read before.
	 */
	more(2 * subbuf_size / LARGE, LARGE);
	while (read(fd, subbuf, subbuf_size) > 0)
		;
	case_error(read_error(fd, subbuf, subbuf_size), EAGAIN, "read: empty");
	test_once(fd, subbuf);
	test_again(fd, subbuf);

	more(2, SMALL);
	case_error(read_error(fd, (void *)8, subbuf_size), EFAULT,
		   "read: to a bad address");
	read_whole(fd, subbuf, "then to a good one");
	case_is(subbuf_events(subbuf, 0, NULL, NULL), 2,
		"read: a bad address loses nothing");
	more(1, SMALL);
	case_text(read_word(fd, subbuf, 2 * subbuf_size), "a sub-buffer",
		  "read: two sub-buffers asked for");
	case_is(read(fd, subbuf, 0), 0, "read: 0 bytes");
	case_error(lseek(fd, 0, SEEK_SET) < 0 ? errno : 0, ESPIPE,
		   "read: no seeking");
	case_error(pread(fd, subbuf, subbuf_size, 0) < 0 ? errno : 0, ESPIPE,
		   "read: no pread");
	test_parts(fd, subbuf);
	test_parts_two_files(fd, subbuf);
	close(fd);
	set("trace_clock", "local");
	free(subbuf);
}

/* read() does not wait for the watermark. */
static void test_block(void)
{
	char *subbuf = malloc(subbuf_size);
	int fd = device_open(CPU, O_RDONLY);
	unsigned int count = 1;
	uint64_t began;
	const char *word;
	pid_t pid;

	percent(50);
	fresh();
	alarm_in(100);
	case_error(read_error(fd, subbuf, subbuf_size), EINTR,
		   "read: waits, a signal interrupts");
	began = now();
	pid = later(100, emit_some, &count);
	alarm_in(limit(10000));
	word = read_word(fd, subbuf, subbuf_size);
	case_text(word, "a sub-buffer", "read: waits for an event");
	case_ok(now() - began < limit(5000) * MSEC, "read: waits: soon");
	case_ok(now() - began >= 80 * MSEC, "read: waits: not before");
	alarm_in(0);
	reap(pid);
	number += count;
	close(fd);
	free(subbuf);
}

/* Each sub-buffer is read once, no matter which file consumed the one before it. */
static void test_through_map_and_read(void)
{
	char *subbuf = malloc(subbuf_size);
	uint64_t first = 0, last = 0;
	struct client client;

	fresh();
	client_open(&client, CPU, O_RDONLY | O_NONBLOCK);
	more(3, SMALL);
	get_reader(client.fd);
	more(3, SMALL);
	case_text(read_word(client.fd, subbuf, subbuf_size), "a sub-buffer",
		  "read: while mapped");
	case_is(subbuf_events(subbuf, 0, &first, &last), 3,
		"read: while mapped: what GET_READER left");
	case_ok(first == number - 3 && last == number - 1,
		"read: while mapped: the right ones");
	case_error(read_error(client.fd, subbuf, subbuf_size), EAGAIN,
		   "read: while mapped: no more");
	get_reader(client.fd);
	case_is(client.meta->read, 6, "read: while mapped: is read for all");
	client_close(&client);
	free(subbuf);
}

void theme_read(void)
{
	test_read();
	test_block();
	test_through_map_and_read();
}
