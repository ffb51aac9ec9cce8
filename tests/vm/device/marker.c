// SPDX-License-Identifier: GPL-2.0-only
/* /dev/rbmap/marker: which texts it writes, and which calls it refuses. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

static int marker;
static struct client client;

/* The texts of all unread events, one after the other. */
static char texts[1 << 20];
static size_t texts_len;
static struct rbmap_event_common common;

/* Values from the format file. */
static int event_id;
static unsigned int text_offset;

static unsigned int collect(void)
{
	static size_t at;
	static uint32_t id = -1;
	unsigned int count = 0;

	texts_len = 0;
	for (;;) {
		struct cursor cursor;
		struct record record;
		uint64_t first_unread = at;

		if (get_reader(client.fd))
			bail_out("GET_READER: %s", error_name(errno));
		if (client.meta->reader.id != id) {
			id = client.meta->reader.id;
			first_unread = 0;
		} else if (subbuf_commit(client_subbuf(&client)) == at) {
			break;
		}
		cursor_begin(&cursor, client_subbuf(&client));
		while (cursor_next(&cursor, &record)) {
			size_t len;

			if (cursor.at <= first_unread)
				continue;
			count++;
			memcpy(&common, record.payload, sizeof(common));
			len = strnlen(record.payload + text_offset,
				      record.size - text_offset);
			memcpy(texts + texts_len, record.payload + text_offset,
			       len);
			texts_len += len;
		}
		if (cursor.bad)
			bail_out("%s", cursor.bad);
		at = subbuf_commit(client_subbuf(&client));
	}
	texts[texts_len] = 0;
	return count;
}

static int write_error(const void *from, size_t len)
{
	return write(marker, from, len) < 0 ? errno : 0;
}

static void becomes(const char *text, const char *wanted, const char *what)
{
	ssize_t len = strlen(text);

	is(write(marker, text, len), len,
	   "%s: the whole text is accepted", what);
	is(collect(), 1, "%s: one event", what);
	ok(!strcmp(texts, wanted), "%s: the event has the text", what);
}

static void read_format(void)
{
	FILE *file = fopen("/sys/kernel/rbmap/events/rbmap/marker/format", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "ID: %d", &event_id);
		sscanf(line, " field:char buf[]; offset:%u;", &text_offset);
	}
	if (!event_id || !text_offset)
		bail_out("no format of the marker");
	fclose(file);
}

static void test_texts(void)
{
	becomes("hello", "hello\n", "no newline");
	becomes("hello\n", "hello\n", "a newline");
	becomes("\n", "\n", "nothing but a newline");
	becomes("two\nlines", "two\nlines\n", "two lines");
	is(common.type, event_id, "common_type is the id");
	is(common.pid, syscall(SYS_gettid), "common_pid is the writer's");
	is(common.flags & ~4, 0, "common_flags of a system call");
	is(common.preempt_count, 0, "common_preempt_count of a system call");
	is(write(marker, "", 0), 0, "an empty write is accepted");
	is(collect(), 0, "an empty write is no event");
}

/* Write a long text as a careful program does: continue after each short write. */
static void test_long(size_t len)
{
	char *text = malloc(len), *from = texts;
	size_t done = 0, i, writes = 0;
	bool same = true;

	for (i = 0; i < len; i++)
		text[i] = 'a' + i % 26;
	while (done < len) {
		ssize_t n = write(marker, text + done, len - done);

		if (n <= 0)
			break;
		done += n;
		writes++;
	}
	is(done, len, "%zu bytes: all bytes are accepted in the end", len);
	is(collect(), writes, "%zu bytes: one event for each write", len);
	for (i = 0; i < len; from++) {
		if (*from == '\n')
			continue;
		same = same && *from == text[i++];
	}
	ok(same, "%zu bytes: no byte is missing", len);
	free(text);
}

static void test_bad_addresses(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *area = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(area + page, page);
	memset(area, 'x', page);
	is_error(write_error((void *)8, 100), EFAULT, "a bad address");
	is_error(write_error((void *)-4096L, 100), EFAULT,
		 "an address of the kernel");
	is_error(write_error(area + page - 10, 20), EFAULT,
		 "an address that is bad after 10 bytes");
	is_error(write_error(area, page + 1), 0,
		 "the text before the bad address is accepted");
	is(collect(), 1, "the accepted part is one event");
	is_error(write_error(area + page - 1000, 2000), EFAULT,
		 "an address that is bad after 1000 bytes");
	is(collect(), 0, "a bad address leaves no part of an event");
	munmap(area, page);
}

static void test_fresh_page(void)
{
	char *area = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	area[0] = 0;
	madvise(area, 4096, MADV_DONTNEED);
	is(write(marker, area, 100), 100,
	   "a text on a page that is not populated is accepted");
	collect();
	munmap(area, 4096);
}

static void test_off(void)
{
	uint64_t disabled = stat_of(0, "disabled");
	uint64_t emitted = stat_of(0, "emitted");

	set("tracing_on", "0");
	is_error(write_error("off", 3), EBADF,
		 "a write while tracing is off is refused");
	is(stat_of(0, "disabled"), disabled + 1,
	   "the refused write is counted as disabled");
	set("tracing_on", "1");
	set("events/rbmap/marker/enable", "0");
	is_error(write_error("off", 3), EBADF,
		 "a write while the event is off is refused");
	set("events/rbmap/marker/enable", "1");
	is(stat_of(0, "emitted"), emitted,
	   "refused writes are not counted as emitted");
	is_error(write_error("on", 2), 0,
		 "a write is accepted when tracing and event are on");
	is(collect(), 1, "the accepted write is recorded");
}

/*
 * Clients of tracefs disable all events, or select one task's: the marker is
 * not affected.
 */
static void test_apart(void)
{
	char own[16];

	snprintf(own, sizeof(own), "%d", getpid());
	set("events/enable", "0");
	is_error(write_error("on", 2), 0,
		 "the marker stays on when all events are off");
	set("set_event_pid", "1");
	is_error(write_error("on", 2), 0,
		 "set_event_pid does not affect the marker");
	set("set_event_pid", "\n");
	set("set_event_notrace_pid", own);
	is_error(write_error("on", 2), 0,
		 "set_event_notrace_pid does not affect the marker");
	set("set_event_notrace_pid", "\n");
	is(collect(), 3, "all three markers are recorded");
	set("events/rbmap/enable", "0");
	is_error(write_error("off", 3), EBADF,
		 "the marker is off when its system is off");
	set("events/rbmap/enable", "1");
}

static int raw_error(int fd, const void *from, size_t len)
{
	return write(fd, from, len) < 0 ? errno : 0;
}

/* Raw data is recorded as it is, all of it or nothing. */
static void test_raw(void)
{
	int fd = open("/dev/rbmap/marker_raw", O_WRONLY | O_CLOEXEC);
	/* Data and common fields have 4070 bytes, and the latter differ between kernels. */
	const unsigned int largest = 4070 - text_offset;
	unsigned int count;
	char data[4096];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)('a' + i % 26);
	collect();
	for (size_t len = 0; len < 4; len++)
		is_error(raw_error(fd, data, len), EINVAL,
			 "raw: %zu bytes are refused", len);
	is_error(raw_error(fd, data, largest + 1), EINVAL, "raw: too much is refused");
	is_error(raw_error(fd, (void *)8, 8), EFAULT, "raw: a bad address");
	is(collect(), 0, "raw: refused data leaves no event");
	is(write(fd, data, 4), 4, "raw: an id alone");
	is(collect(), 1, "raw: one event");
	ok(texts_len == 4 && !memcmp(texts, data, 4), "raw: the id");
	is(write(fd, data, largest), largest, "raw: the largest data");
	count = collect();
	is(count, 1, "raw: one event for the largest data");
	ok(texts_len >= largest && !memcmp(texts, data, largest), "raw: all of it");
	ok(common.type != event_id, "raw: an event of its own");
	set("events/rbmap/marker_raw/enable", "0");
	is_error(raw_error(fd, data, 8), EBADF, "raw: refused while the event is off");
	is_error(write_error("on", 2), 0, "raw: the other marker is on");
	is(collect(), 1, "raw: its text is recorded");
	set("events/rbmap/marker_raw/enable", "1");
	close(fd);
}

static void test_full(void)
{
	char text[1000];
	uint64_t before, dropped;
	int i, err = 0;

	memset(text, 'f', sizeof(text));
	set_overwrite(false);
	for (i = 0; i < 100000 && !err; i++)
		err = write_error(text, sizeof(text));
	is_error(err, ENOSPC, "the ring is full, and new events are dropped");
	before = stat_of(0, "dropped full");
	for (i = 0; i < 10; i++)
		write_error(text, sizeof(text));
	dropped = stat_of(0, "dropped full") - before;
	is(dropped, 10, "dropped markers are counted");
	set_overwrite(true);
	is_error(write_error(text, sizeof(text)), 0,
		 "the ring is full, and old events are overwritten");
	reset();
}

static void test_file(void)
{
	char byte;
	int fd = open("/dev/rbmap/marker", O_RDWR | O_CLOEXEC);
	struct iovec parts[2] = {
		{ .iov_base = "one", .iov_len = 3 },
		{ .iov_base = "two", .iov_len = 3 },
	};

	ok(fd >= 0, "root can open the marker for reading and writing");
	is_error(read(fd, &byte, 1) < 0 ? errno : 0, EINVAL,
		 "the marker cannot be read");
	is_error(lseek(fd, 0, SEEK_SET) < 0 ? errno : 0, ESPIPE,
		 "the marker has no position");
	is(writev(fd, parts, 2), 6, "writev");
	is_error(pwrite(fd, "x", 1, 0) < 0 ? errno : 0, ESPIPE, "pwrite");
	close(fd);
}

int main(void)
{
	pin(0);
	reset();
	read_format();
	marker = open("/dev/rbmap/marker", O_WRONLY | O_CLOEXEC);
	if (marker < 0)
		bail_out("/dev/rbmap/marker: %s", error_name(errno));
	set("buffer_percent", "0");
	if (!client_open(&client, 0, O_RDONLY | O_NONBLOCK) ||
	    !client_map(&client))
		bail_out("can't map cpu0: %s", error_name(errno));

	collect();
	test_texts();
	test_long(255);
	test_long(256);
	test_long(257);
	test_long(4000);
	test_long(4062);
	test_long(4063);
	test_long(100000);
	test_bad_addresses();
	test_fresh_page();
	test_off();
	test_apart();
	test_file();
	is(collect(), 2, "writev: one event for each part");
	test_raw();
	test_full();
	client_close(&client);
	return done_testing();
}
