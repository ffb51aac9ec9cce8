// SPDX-License-Identifier: GPL-2.0-only
/* The administrator's commands, on files and an index of a collector. */
#include <endian.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "admin/commands.h"
#include "admin/stream/stream_recording.h"
#include "base/complain.h"
#include "collector/index/database.h"
#include "message/message.h"
#include "message/stream/batch.h"
#include "recording/dat_read.h"

static char folder[64];

static int begin(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/fleet-admin-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

#define BOOT	"0123456789abcdef0123456789abcdef"

/* Append a message, behind its size, as the collector does. */
static void add_message(struct buf *file, const struct message *m)
{
	size_t at = file->size;
	uint32_t size = 0;

	buf_add(file, &size, sizeof(size));
	assert_int_equal(message_encode(file, m), 0);
	size = htole32(file->size - at - sizeof(size));
	memcpy(file->data + at, &size, sizeof(size));
}

static void add_subbufs(struct buf *file)
{
	static const uint32_t event[] = { 1, 0x12345678 };	/* 4 bytes of data, no time */
	struct message m = {
		.kind = MESSAGE_SUBBUFS, .host = "web-1", .boot = BOOT, .source = "main.0.1.1",
	};
	const struct batch_head head = { .events = 1, .end = 5000 };
	struct buf payload = { 0 };

	batch_begin(&payload);
	batch_add(&payload, batch_subbuf(&payload, 1, 1000), event, sizeof(event));
	batch_end(&payload, &head);
	m.data = payload.data;
	m.size = payload.size;
	add_message(file, &m);
	buf_free(&payload);
}

static void put_file(int dir, const char *name, const struct buf *file)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, file->data, file->size), file->size);
	close(fd);
}

/* Write the file "1" of a stream, with one message of one event. Return the message's size. */
static uint32_t put_subbufs(int dir)
{
	struct buf file = { 0 };
	uint32_t size;

	add_subbufs(&file);
	put_file(dir, "1", &file);
	size = file.size - sizeof(size);
	buf_free(&file);
	return size;
}

/* The collector has removed the file of the second message since the first look. */
static void test_removed_stream(void **state)
{
	struct stream_head head = {
		.page_size = 4096, .nr_cpus = 1, .clock = "local", .uname = "Linux web-1 6.12 x86_64",
		.version = "0", .names = "",
	};
	struct stream_entry entry[] = {
		{ .seq = 0, .file = 1, .offset = sizeof(uint32_t) },
		{ .seq = 1, .file = 2, .offset = sizeof(uint32_t) },
	};
	struct stream_query q = {
		.host = "web-1", .buffer = "main", .until = UINT64_MAX, .entry = entry, .nr = 2,
		.heads = &head, .nr_heads = 1,
	};
	struct stream_counts counts = { 0 };
	char path[128];

	(void)state;
	q.dir = open(folder, O_RDONLY | O_DIRECTORY);
	assert_true(q.dir >= 0);
	entry[0].size = entry[1].size = put_subbufs(q.dir);
	snprintf(path, sizeof(path), "%s/web-1.dat", folder);
	assert_int_equal(stream_recording_write(&q, path, &counts), STATUS_OK);
	assert_int_equal(counts.events, 1);
	assert_int_equal(counts.damaged, 1);
	assert_int_equal(access(path, R_OK), 0);
	/* All files are removed. */
	snprintf(path, sizeof(path), "%s/1", folder);
	assert_int_equal(unlink(path), 0);
	counts = (struct stream_counts){ 0 };
	snprintf(path, sizeof(path), "%s/web-1-again.dat", folder);
	assert_int_equal(stream_recording_write(&q, path, &counts), STATUS_OK);
	assert_int_equal(counts.damaged, 2);
	close(q.dir);
}

/* Add a CLOCK. CPUs have missed so many events, or an earlier version did not tell: -1. */
static void add_clock(struct buf *file, uint64_t time, const int missed[3])
{
	static uint64_t seq;
	struct message m = {
		.kind = MESSAGE_CLOCK, .host = "web-1", .boot = BOOT, .source = "main.head.0.1",
		.seq = seq++,
	};
	struct stream_clock clock = {
		.moment = { .ring = time, .real = time }, .error = STREAM_CLOCK_UNKNOWN,
	};
	struct buf payload = { 0 };

	stream_clock_print(&clock, &payload);
	for (unsigned int cpu = 0; cpu < 3; cpu++)
		if (missed[cpu] >= 0)
			stream_missed_print(&payload, cpu, missed[cpu]);
	m.data = payload.data;
	m.size = payload.size;
	add_message(file, &m);
	buf_free(&payload);
}

static void put_head(int dir)
{
	struct stream_head head = {
		.page_size = 4096, .nr_cpus = 1, .clock = "local", .uname = "Linux web-1 6.12 x86_64",
		.version = "0", .names = "",
	};
	struct message m = {
		.kind = MESSAGE_HEAD, .host = "web-1", .boot = BOOT, .source = "main.head.0.1",
	};
	struct buf payload = { 0 }, file = { 0 };

	assert_int_equal(stream_head_encode(&payload, &head), 0);
	m.data = payload.data;
	m.size = payload.size;
	assert_int_equal(message_encode(&file, &m), 0);
	put_file(dir, "head.1", &file);
	buf_free(&payload);
	buf_free(&file);
}

/* Make a recording of a time, and check how many events each CPU has missed. */
static void check_missed(struct fleet_index *ix, uint64_t since, uint64_t until,
			 const unsigned int want[3])
{
	struct stream_query q = {
		.host = "web-1", .host_id = 1, .boot = BOOT, .buffer = "main", .since = since,
		.until = until, .dir = -1,
	};
	unsigned int sum = want[0] + want[1] + want[2];
	struct stream_counts counts = { 0 };
	struct rbmap_recording *r = NULL;
	char path[128];

	snprintf(path, sizeof(path), "%s/web-1.dat", folder);
	assert_int_equal(stream_query_find(&q, ix, folder), 0);
	assert_int_equal(q.nr, 1);
	assert_int_equal(stream_recording_write(&q, path, &counts), STATUS_OK);
	stream_query_free(&q);
	assert_int_equal(counts.missed, sum);
	assert_int_equal(counts.lost, sum);
	assert_int_equal(dat_open(&r, path), 0);
	for (unsigned int cpu = 0; cpu < 3; cpu++)
		assert_int_equal(dat_missed(r, 0, cpu), want[cpu]);
	rbmap_recording_close(r);
	assert_int_equal(unlink(path), 0);
}

/* Events that reached no ring, because the kernel had no record of them, are lost in a stream. */
static void test_missed(void **state)
{
	/* CPU 2 comes later, and its buffer is made again. */
	static const int missed[][3] = {
		{ -1, -1, -1 }, { 5, 0, -1 }, { 5, 0, 4 }, { 8, 2, 9 }, { 8, 2, 1 },
	};
	struct buf file = { 0 };
	struct fleet_index ix;
	char path[128];
	int dir;

	(void)state;
	snprintf(path, sizeof(path), "mkdir -p %s/streams/web-1/" BOOT "/main", folder);
	assert_int_equal(system(path), 0);
	snprintf(path, sizeof(path), "%s/streams/web-1/" BOOT "/main", folder);
	dir = open(path, O_RDONLY | O_DIRECTORY);
	put_head(dir);
	add_subbufs(&file);
	/* They come in any order. */
	for (unsigned int i = 0; i < 5; i++)
		add_clock(&file, 1000 * ((i + 2) % 5 + 1), missed[(i + 2) % 5]);
	put_file(dir, "1", &file);
	close(dir);
	assert_true(index_open(&ix, folder, INDEX_CREATE));
	index_run(&ix, "INSERT INTO host (id, name, boot, first_seen, last_seen)"
		  " VALUES (1, 'web-1', '', 0, 0)", "");
	index_run(&ix, "INSERT INTO stream_file (host, boot, buffer, number, size, begin, end, changed)"
		  " VALUES (1, ?1, 'main', 1, ?2, 0, 5000, 0)", "si", BOOT, (int64_t)file.size);
	assert_int_equal(ix.code, 0);
	buf_free(&file);
	/* An earlier version has sent the first moment: nobody knows what came before the next one. */
	check_missed(&ix, 0, 9000, (const unsigned int[3]){ 3, 2, 10 });
	check_missed(&ix, 0, 1500, (const unsigned int[3]){ 0, 0, 0 });
	/* The moments around the time are those of 2000 and 3000, or of 3000 and 5000. */
	check_missed(&ix, 2000, 2500, (const unsigned int[3]){ 0, 0, 4 });
	check_missed(&ix, 3500, 4500, (const unsigned int[3]){ 3, 2, 6 });
	index_close(&ix);
}

#define COMMAND		"2026-11-26T14.03.12-web"
#define OTHERS		600

/* A host names the command in all of its manifests: each host has one incident all the same. */
static void test_command_of_many(void **state)
{
	static const char *const wanted[][2] = {
		{ "evil", "e-600" }, { "good", "g-1" }, { "liar", "l-3" },
	};
	static const uint64_t others[] = { OTHERS - 1, 0, OTHERS - 1 };
	struct fleet_index ix;
	sqlite3_stmt *st;
	size_t nr = 0;

	(void)state;
	assert_true(index_open(&ix, folder, INDEX_CREATE));
	index_run(&ix, "INSERT INTO host (id, name, boot, first_seen, last_seen)"
		  " VALUES (1, 'good', '', 0, 0), (2, 'evil', '', 0, 0), (3, 'liar', '', 0, 0)", "");
	index_run(&ix, "INSERT INTO command (id, name, action, hosts, reason, time)"
		  " VALUES (1, ?1, 'snapshot', '*', '', 0)", "s", COMMAND);
	index_run(&ix, "INSERT INTO incident (host, name, state, changed, time, command)"
		  " VALUES (1, 'g-1', 'stored', 0, 0, ?1), (1, 'g-2', 'stored', 0, 0, NULL)", "s",
		  COMMAND);
	index_run(&ix, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)"
		  " INSERT INTO incident (host, name, state, changed, time, command)"
		  " SELECT 2, 'e-' || i, 'stored', 0, 0, ?1 FROM n UNION ALL"
		  " SELECT 3, 'l-' || i, 'stored', 0, 0, ?1 FROM n", "si", COMMAND,
		  (int64_t)OTHERS);
	index_run(&ix, "INSERT INTO answer (command, host, state, incident, arrived)"
		  " VALUES (1, 1, 'taken', 'g-1', 0), (1, 3, 'taken', 'l-3', 0)", "");
	assert_int_equal(ix.code, 0);
	st = stored_select(&ix, COMMAND);
	while (index_row(&ix, st)) {
		assert_true(nr < sizeof(wanted) / sizeof(*wanted));
		assert_string_equal(index_text(st, STORED_HOST), wanted[nr][0]);
		assert_string_equal(index_text(st, STORED_NAME), wanted[nr][1]);
		assert_int_equal(index_u64(st, STORED_OTHERS), others[nr]);
		nr++;
	}
	assert_int_equal(ix.code, 0);
	assert_int_equal(nr, 3);
	st = stored_select(&ix, "g-2");
	assert_true(index_row(&ix, st));
	assert_string_equal(index_text(st, STORED_NAME), "g-2");
	assert_false(index_row(&ix, st));
	index_close(&ix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_removed_stream, begin, end),
		cmocka_unit_test_setup_teardown(test_missed, begin, end),
		cmocka_unit_test_setup_teardown(test_command_of_many, begin, end),
	};

	return cmocka_run_group_tests_name("fleet_admin", tests, NULL, NULL);
}
