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

/* Write the file "1" of a stream, with one message of one event. Return the message's size. */
static uint32_t put_subbufs(int dir)
{
	static const uint32_t event[] = { 1, 0x12345678 };	/* 4 bytes of data, no time */
	struct message m = {
		.kind = MESSAGE_SUBBUFS, .host = "web-1", .boot = "0123456789abcdef0123456789abcdef",
		.source = "main.0.1.1",
	};
	const struct batch_head head = { .events = 1, .end = 1000 };
	struct buf payload = { 0 }, file = { 0 };
	uint32_t size = 0;
	int fd;

	batch_begin(&payload);
	batch_add(&payload, batch_subbuf(&payload, 1, 1000), event, sizeof(event));
	batch_end(&payload, &head);
	m.data = payload.data;
	m.size = payload.size;
	buf_add(&file, &size, sizeof(size));
	assert_int_equal(message_encode(&file, &m), 0);
	size = htole32(file.size - sizeof(size));
	memcpy(file.data, &size, sizeof(size));
	fd = openat(dir, "1", O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, file.data, file.size), file.size);
	close(fd);
	size = file.size - sizeof(size);
	buf_free(&payload);
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
		cmocka_unit_test_setup_teardown(test_command_of_many, begin, end),
	};

	return cmocka_run_group_tests_name("fleet_admin", tests, NULL, NULL);
}
