// SPDX-License-Identifier: GPL-2.0-only
/*
 * The spool of streams: each cut of a segment, a kill between any two steps, gaps and their
 * sums. Batches: each event once, also in pieces, and payloads that are damaged.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <signal.h>
#include <sys/resource.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/stream/stream.h"
#include "agent/stream/stream_spool.h"
#include "agent/uplink/files.h"
#include "kernel/control.h"
#include "message/stream/stream.h"
#include "remove_tree.h"

#define BOOT	"0123456789abcdef0123456789abcdef"
#define OTHER	"1123456789abcdef0123456789abcdef"

static char dir[] = "/dev/shm/rbmap-fleet-stream.XXXXXX";
static int fd;

static int begin(void **state)
{
	(void)state;
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	fd = open(dir, O_RDONLY | O_DIRECTORY);
	return fd < 0 ? -1 : chdir(dir);
}

static int end(void **state)
{
	(void)state;
	close(fd);
	return chdir("/") || remove_tree(dir);
}

static void open_spool(struct stream_spool *s, uint64_t most, const char *boot)
{
	assert_int_equal(stream_spool_open(s, fd, most, boot), 0);
}

/* Append message @seq of a source: 10 events, and 1 lost before them. */
static int append(struct stream_spool *s, const char *source, uint64_t seq, size_t size)
{
	struct stream_record r = {
		.kind = MESSAGE_SUBBUFS, .seq = seq, .number = 11 * (seq + 1), .time = seq,
		.events = 10, .lost = 1, .after = { 10 * (seq + 1), seq + 1, 0 },
	};
	char *message = malloc(size);
	int ret;

	strcpy(r.source, source);
	memset(message, (int)seq, size);
	ret = stream_spool_append(s, &r, message, size);
	free(message);
	return ret;
}

/* Return how many messages of a source the spool has; they come in order. */
static unsigned int count(struct stream_spool *s, const char *source, uint64_t from)
{
	struct stream_cursor c = { .fd = -1 };
	struct buf message = { 0 };
	struct stream_record r;
	unsigned int nr = 0;
	int ret;

	assert_int_equal(stream_spool_sync(s), 0);
	while ((ret = stream_spool_next(s, &c, &r, &message)) == 1) {
		if (strcmp(r.source, source))
			continue;
		assert_int_equal(r.seq, from + nr);
		for (size_t i = 0; i < message.size; i++)
			assert_int_equal(message.data[i], (char)r.seq);
		nr++;
	}
	assert_int_equal(ret, 0);
	stream_cursor_reset(&c);
	buf_free(&message);
	return nr;
}

static void test_stored(void **state)
{
	struct stream_spool s;

	(void)state;
	open_spool(&s, 64 << 20, BOOT);
	for (uint64_t i = 0; i < 40; i++) {
		assert_int_equal(append(&s, "b.0.1.7", i, 300000), 0);
		assert_int_equal(append(&s, "b.1.1.7", i, 100), 0);
	}
	assert_true(s.nr_segments > 2);
	assert_int_equal(count(&s, "b.0.1.7", 0), 40);
	assert_true(stream_spool_stored(&s, "b.0.1.7", 5));
	assert_false(stream_spool_stored(&s, "b.0.1.7", 5));
	assert_int_equal(count(&s, "b.0.1.7", 5), 35);
	/* No segment goes before all of it is stored, and lies are not believed. */
	assert_false(stream_spool_stored(&s, "b.0.1.7", 41));
	assert_true(stream_spool_stored(&s, "b.0.1.7", 40));
	assert_true(s.nr_segments > 2);
	assert_false(stream_spool_is_stored(&s));
	assert_true(stream_spool_stored(&s, "b.1.1.7", 40));
	assert_int_equal(s.nr_segments, 1);
	assert_true(stream_spool_is_stored(&s));
	stream_spool_close(&s);
}

static void assert_list(struct stream_spool *s, const char *text)
{
	struct buf list = { 0 };

	stream_spool_list(s, &list, 256);
	buf_add(&list, "", 1);
	assert_string_equal(list.data, text);
	buf_free(&list);
}

/* HELLO says which messages of a source are gone, also after a restart. */
static void test_list(void **state)
{
	struct stream_spool s;

	(void)state;
	open_spool(&s, 64 << 20, BOOT);
	for (uint64_t i = 0; i < 40; i++)
		assert_int_equal(append(&s, "b.0.1.7", i, 300000), 0);
	assert_list(&s, "stream = b.0.1.7\n");
	assert_true(stream_spool_stored(&s, "b.0.1.7", 20));
	assert_list(&s, "stream = b.0.1.7\nstream-first = b.0.1.7 20\n");
	stream_spool_close(&s);
	/* A segment has 13 messages; the one with message 20 is there. */
	open_spool(&s, 64 << 20, BOOT);
	assert_int_equal(count(&s, "b.0.1.7", 13), 27);
	assert_list(&s, "stream = b.0.1.7\nstream-first = b.0.1.7 13\n");
	assert_true(stream_spool_stored(&s, "b.0.1.7", 40));
	assert_list(&s, "");
	stream_spool_close(&s);
}

/* Records that are not synced are not sent. */
static void test_sync(void **state)
{
	struct stream_cursor c = { .fd = -1 };
	struct buf message = { 0 };
	struct stream_record r;
	struct stream_spool s;

	(void)state;
	open_spool(&s, 64 << 20, BOOT);
	assert_int_equal(append(&s, "b.0.1.7", 0, 100), 0);
	assert_int_equal(stream_spool_next(&s, &c, &r, &message), 0);
	assert_int_equal(stream_spool_sync(&s), 0);
	assert_int_equal(stream_spool_next(&s, &c, &r, &message), 1);
	assert_int_equal(stream_spool_next(&s, &c, &r, &message), 0);
	assert_int_equal(append(&s, "b.0.1.7", 1, 100), 0);
	assert_int_equal(stream_spool_sync(&s), 0);
	assert_int_equal(stream_spool_next(&s, &c, &r, &message), 1);
	assert_int_equal(r.seq, 1);
	stream_cursor_reset(&c);
	buf_free(&message);
	stream_spool_close(&s);
}

/* After a restart the positions go on, and no incarnation comes again. */
static void test_restart(void **state)
{
	const struct stream_position *p;
	struct stream_spool s;
	uint64_t incarnation = 0;

	(void)state;
	for (uint64_t run = 0; run < 5; run++) {
		open_spool(&s, 64 << 20, BOOT);
		assert_true(s.incarnation > incarnation);
		incarnation = s.incarnation;
		p = stream_spool_position(&s, "b", 3);
		assert_int_equal(!p, !run);
		if (p)
			assert_int_equal(p->number, 11 * run);
		assert_int_equal(append(&s, "b.3.1.9", run, 100), 0);
		/* A ring that was opened again has used one more. */
		if (run == 2) {
			char source[SOURCE_NAME_SIZE];

			incarnation = stream_spool_incarnation(&s);
			snprintf(source, sizeof(source), "b.9.1.%" PRIu64, incarnation);
			assert_int_equal(append(&s, source, 0, 10), 0);
		}
		stream_spool_close(&s);
	}
	open_spool(&s, 64 << 20, BOOT);
	assert_int_equal(count(&s, "b.3.1.9", 0), 5);
	stream_spool_close(&s);
	/* Messages of another boot are sent, and its positions mean nothing. */
	open_spool(&s, 64 << 20, OTHER);
	assert_null(stream_spool_position(&s, "b", 3));
	assert_int_equal(count(&s, "b.3.1.9", 0), 5);
	stream_spool_close(&s);
}

static void copy_to(const char *from, const char *to, off_t size)
{
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	char bytes[8192];
	ssize_t got = read(in, bytes, sizeof(bytes));

	assert_true(got >= size && got < (ssize_t)sizeof(bytes));
	assert_int_equal(write(out, bytes, size), size);
	close(in);
	close(out);
}

/* A record that the disk took in part leaves nothing, and the next one is whole. */
static void test_full_disk(void **state)
{
	struct stream_segment *g;
	struct stream_spool s;
	struct rlimit old, limit;
	struct stat st;

	(void)state;
	open_spool(&s, 64 << 20, BOOT);
	assert_int_equal(append(&s, "b.0.1.7", 0, 50), 0);
	g = &s.segment[s.nr_segments - 1];
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = g->size + 500;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_not_equal(append(&s, "b.0.1.7", 1, 2000), 0);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(fstat(s.fd, &st), 0);
	assert_int_equal(st.st_size, g->size);
	assert_int_equal(append(&s, "b.0.1.7", 1, 50), 0);
	stream_spool_close(&s);
	open_spool(&s, 64 << 20, BOOT);
	assert_int_equal(count(&s, "b.0.1.7", 0), 2);
	stream_spool_close(&s);
}

/* A segment that is cut at any byte has all records before the cut. */
static void test_cuts(void **state)
{
	struct stream_spool s;
	struct stat st;
	uint64_t record = sizeof(struct stream_record) + 50, first;

	(void)state;
	open_spool(&s, 64 << 20, BOOT);
	for (uint64_t i = 0; i < 5; i++)
		assert_int_equal(append(&s, "b.0.1.7", i, 50), 0);
	first = s.segment[0].begin;
	stream_spool_close(&s);
	assert_int_equal(rename("stream/0000000001", "whole"), 0);
	assert_int_equal(stat("whole", &st), 0);
	for (off_t cut = 0; cut <= st.st_size; cut++) {
		uint64_t wanted = (uint64_t)cut < first ? 0 : (cut - first) / record;
		const struct stream_position *p;

		assert_int_equal(remove_tree("stream"), 0);
		assert_int_equal(mkdir("stream", 0700), 0);
		copy_to("whole", "stream/0000000001", cut);
		open_spool(&s, 64 << 20, BOOT);
		assert_int_equal(count(&s, "b.0.1.7", 0), wanted);
		p = stream_spool_position(&s, "b", 0);
		assert_int_equal(p ? p->number : 0, 11 * wanted);
		/* The next run writes a segment of its own. */
		assert_int_equal(append(&s, "b.0.1.8", 0, 50), 0);
		assert_int_equal(count(&s, "b.0.1.8", 0), 1);
		stream_spool_close(&s);
	}
}

/* A byte that is wrong ends a segment, and never becomes a message. */
static void test_damage(void **state)
{
	struct stream_spool s;
	struct stat st;

	(void)state;
	open_spool(&s, 64 << 20, BOOT);
	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(append(&s, "b.0.1.7", i, 50), 0);
	stream_spool_close(&s);
	assert_int_equal(rename("stream/0000000001", "whole"), 0);
	assert_int_equal(stat("whole", &st), 0);
	for (off_t at = 0; at < st.st_size; at++) {
		char byte;
		int file;

		assert_int_equal(remove_tree("stream"), 0);
		assert_int_equal(mkdir("stream", 0700), 0);
		copy_to("whole", "stream/0000000001", st.st_size);
		file = open("stream/0000000001", O_RDWR);
		assert_int_equal(pread(file, &byte, 1, at), 1);
		byte ^= 0x55;
		assert_int_equal(pwrite(file, &byte, 1, at), 1);
		close(file);
		open_spool(&s, 64 << 20, BOOT);
		assert_true(count(&s, "b.0.1.7", 0) < 3);
		stream_spool_close(&s);
	}
}

/* The oldest segments become gaps, and nothing is both in a gap and in a segment. */
static void test_gaps(void **state)
{
	struct stream_spool s;
	const struct stream_gap *gap;
	struct stream_gap sent;

	(void)state;
	open_spool(&s, STREAM_SPOOL_MIN, BOOT);
	assert_true(append(&s, "b.head.0.7", 0, 10) == 0);
	for (uint64_t i = 0; i < 60; i++) {
		assert_int_equal(append(&s, "b.0.1.7", i, 300000), 0);
		assert_true(s.bytes <= STREAM_SPOOL_MIN + STREAM_SEGMENT_SIZE);
		if (i == 2)
			stream_spool_stored(&s, "b.0.1.7", 2);
	}
	assert_true(s.head_lost);
	gap = stream_gaps_find(&s.gaps, "b.0.1.7");
	assert_non_null(gap);
	assert_int_equal(gap->first, 2);
	assert_int_equal(gap->events, 10 * (gap->last - 1));
	assert_int_equal(gap->lost, gap->last - 1);
	assert_int_equal(gap->after.events, 10 * (gap->last + 1));
	assert_int_equal(gap->number, 11 * (gap->last + 1));
	assert_int_equal(count(&s, "b.0.1.7", gap->last + 1), 59 - gap->last);
	assert_true(stream_spool_gap(&s, &sent));
	assert_true(stream_spool_gap(&s, &sent));
	assert_false(stream_spool_gap(&s, &sent));
	stream_spool_close(&s);

	/* The gap is on the disk, and is sent again. */
	open_spool(&s, STREAM_SPOOL_MIN, BOOT);
	gap = stream_gaps_find(&s.gaps, "b.0.1.7");
	assert_non_null(gap);
	assert_int_equal(gap->first, 2);
	assert_int_equal(count(&s, "b.0.1.7", gap->last + 1), 59 - gap->last);
	assert_true(stream_spool_has_gap(&s, "b.0.1.7"));
	assert_true(stream_spool_stored(&s, "b.0.1.7", 60));
	assert_false(stream_spool_has_gap(&s, "b.0.1.7"));
	assert_true(stream_spool_has_gap(&s, "b.head.0.7"));
	assert_true(stream_spool_stored(&s, "b.head.0.7", 1));
	assert_true(stream_spool_is_stored(&s));
	stream_spool_close(&s);
}

/* A kill between the gap and the removal: the gap counts. */
static void test_kill_at_gap(void **state)
{
	struct stream_spool s;
	uint64_t last;

	(void)state;
	open_spool(&s, STREAM_SPOOL_MIN, BOOT);
	for (uint64_t i = 0; i < 13; i++)
		assert_int_equal(append(&s, "b.0.1.7", i, 300000), 0);
	assert_int_equal(link("stream/0000000001", "kept"), 0);
	for (uint64_t i = 13; i < 40; i++)
		assert_int_equal(append(&s, "b.0.1.7", i, 300000), 0);
	last = stream_gaps_find(&s.gaps, "b.0.1.7")->last;
	stream_spool_close(&s);
	assert_int_equal(rename("kept", "stream/0000000001"), 0);
	open_spool(&s, STREAM_SPOOL_MIN, BOOT);
	assert_int_equal(stream_gaps_find(&s.gaps, "b.0.1.7")->last, last);
	assert_int_equal(count(&s, "b.0.1.7", last + 1), 39 - last);
	assert_int_equal(access("stream/0000000001", F_OK), -1);
	stream_spool_close(&s);
}

static void test_sources(void **state)
{
	static const char *const valid[] = {
		"b.0.1.7", "default.head.0.1795771283", "a.b.8191.4294967295.0", "x-y_z.3.1.1",
	};
	static const char *const invalid[] = {
		"", "b", "b.0", "b.0.1", ".0.1.7", "b.00.1.7", "b.8192.1.7", "b.-1.1.7", "b.0.1.x",
		"b.0.4294967296.7", "b.0.1.07", "b/c.0.1.7", "b:c.0.1.7", "b.Head.0.7", "b.0.1.",
		"abcdefghijklmnopqrstuvwxyzabcdefghijkl.0.1.7",
	};
	char again[SOURCE_NAME_SIZE];
	struct stream_source source;

	(void)state;
	for (size_t i = 0; i < sizeof(valid) / sizeof(*valid); i++) {
		assert_true(stream_source_parse(&source, valid[i]));
		stream_source_print(&source, again);
		assert_string_equal(again, valid[i]);
	}
	for (size_t i = 0; i < sizeof(invalid) / sizeof(*invalid); i++)
		if (stream_source_parse(&source, invalid[i]))
			fail_msg("'%s' is valid", invalid[i]);
}

/* Any bytes: no access outside, and no batch with another number of events. */
static void test_payloads(void **state)
{
	uint32_t event[2] = { 1, 0 };
	struct batch_head head = { .events = 2, .begin = 1, .end = 2 };
	struct buf b = { 0 };
	size_t at;

	(void)state;
	batch_begin(&b);
	at = batch_subbuf(&b, 3, 1000);
	batch_add(&b, at, event, sizeof(event));
	batch_add(&b, at, event, sizeof(event));
	batch_end(&b, &head);
	assert_true(batch_is_valid(b.data, b.size));
	for (size_t size = 0; size < b.size; size++) {
		char *copy = malloc(size + 1);

		memcpy(copy, b.data, size);
		assert_false(batch_is_valid(copy, size));
		free(copy);
	}
	for (size_t i = 0; i < b.size * 8; i++) {
		b.data[i / 8] ^= 1 << i % 8;
		batch_is_valid(b.data, b.size);
		b.data[i / 8] ^= 1 << i % 8;
	}
	head.events = 3;
	batch_end(&b, &head);
	assert_false(batch_is_valid(b.data, b.size));
	buf_free(&b);
}

static void test_heads(void **state)
{
	struct dat_format format = { "live", "name: live\nID: 1\n" };
	struct stream_head head = {
		.page_size = 4096, .nr_cpus = 2, .clock = "local", .uname = "Linux h 6 x86",
		.version = "rbmap", .formats = &format, .nr_formats = 1, .names = "1 init\n",
		.moment = { .moment = { .ring = 5, .real = 7, .tai_offset = 37 }, .error = 9 },
	}, got;
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(stream_head_encode(&b, &head), 0);
	assert_true(stream_head_decode(&got, b.data, b.size));
	assert_int_equal(got.nr_formats, 1);
	assert_string_equal(got.formats[0].text, format.text);
	assert_string_equal(got.names, head.names);
	assert_int_equal(got.moment.moment.real, 7);
	assert_int_equal(got.moment.error, 9);
	stream_head_free(&got);
	for (size_t i = 0; i < b.size; i++) {
		assert_false(stream_head_decode(&got, b.data, i));
		stream_head_free(&got);
	}
	for (size_t i = 0; i < b.size * 8; i++) {
		b.data[i / 8] ^= 1 << i % 8;
		stream_head_decode(&got, b.data, b.size);
		stream_head_free(&got);
		b.data[i / 8] ^= 1 << i % 8;
	}
	buf_free(&b);
}

static void write_stats(const char *where, const char *text)
{
	char command[256];

	snprintf(command, sizeof(command), "mkdir -p %s && printf '%s' >%s/stats", where, text,
		 where);
	assert_int_equal(system(command), 0);
}

/* The agent reads what each CPU of each buffer has missed. */
static void test_missed(void **state)
{
	uint64_t missed = 0;

	(void)state;
	control_set_root(".");
	write_stats("per_cpu/cpu0", "lost events: 5\nmissed: 7\nexcluded: 9\n");
	write_stats("instances/view/per_cpu/cpu12", "entries: 1\nmissed: 0\n");
	write_stats("per_cpu/cpu1", "lost events: 5\n");
	assert_int_equal(stream_access_kernel.missed("default", 0, &missed), 0);
	assert_int_equal(missed, 7);
	assert_int_equal(stream_access_kernel.missed("view", 12, &missed), 0);
	assert_int_equal(missed, 0);
	/* An earlier module */
	assert_int_equal(stream_access_kernel.missed("default", 1, &missed), -ENOENT);
	assert_int_equal(stream_access_kernel.missed("default", 2, &missed), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stored, begin, end),
		cmocka_unit_test_setup_teardown(test_list, begin, end),
		cmocka_unit_test_setup_teardown(test_sync, begin, end),
		cmocka_unit_test_setup_teardown(test_restart, begin, end),
		cmocka_unit_test_setup_teardown(test_full_disk, begin, end),
		cmocka_unit_test_setup_teardown(test_cuts, begin, end),
		cmocka_unit_test_setup_teardown(test_damage, begin, end),
		cmocka_unit_test_setup_teardown(test_gaps, begin, end),
		cmocka_unit_test_setup_teardown(test_kill_at_gap, begin, end),
		cmocka_unit_test_setup_teardown(test_missed, begin, end),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_payloads),
		cmocka_unit_test(test_heads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
