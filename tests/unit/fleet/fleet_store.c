// SPDX-License-Identifier: GPL-2.0-only
/*
 * The collector takes incidents, and checks their files beside its loop. The file of a host
 * that is called evil makes the check go on for ever; it begins with an 'e'.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/files/files.h"
#include "collector/store.h"
#include "collector_fixture.h"
#include "message/digest.h"
#include "message/message.h"
#include "recording/dat_read.h"
#include "unsynced.h"

#define BOOT	"0123456789abcdef0123456789abcdef"

static unsigned int published;

static int publish(struct transport *t, const struct parcel *parcels, unsigned int nr)
{
	(void)t;
	(void)parcels;
	published += nr;
	return 0;
}

static const struct transport_ops ops = { .publish = publish };

#define CPU_SECONDS	20

/* Has this process limits of its CPU time and its memory, and does it end after a while? */
static bool is_limited(void)
{
	struct rlimit cpu, memory = { 0 };

	getrlimit(RLIMIT_CPU, &cpu);
#ifndef __SANITIZE_ADDRESS__
	getrlimit(RLIMIT_AS, &memory);
#endif
	return cpu.rlim_max <= CPU_SECONDS && memory.rlim_max != RLIM_INFINITY && alarm(0);
}

/* The check of librbmap, in the child process */
int dat_open_fd(struct rbmap_recording **reader, int fd)
{
	char c = 0;

	(void)reader;
	if (pread(fd, &c, 1, 0) == 1 && c == 'e')
		pause();
	return c == 'r' || (c == 'l' && is_limited()) ? 0 : -EINVAL;
}

static int begin(void **state)
{
	(void)state;
	published = 0;
	unsynced = NULL;
	options.max_host_kb = 8192;
	if (!begin_collector("fleet-store"))
		return -1;
	collector.transport.ops = &ops;
	return 0;
}

static int end(void **state)
{
	(void)state;
	store_stop(&collector);
	return end_collector();
}

static void deliver(const char *host, struct message *m)
{
	struct parcel p = { .channel = CHANNEL_COLLECTOR };
	struct buf bytes = { 0 };

	snprintf(m->host, sizeof(m->host), "%s", host);
	strcpy(m->boot, BOOT);
	strcpy(p.host, m->host);
	assert_int_equal(message_encode(&bytes, m), 0);
	p.data = bytes.data;
	p.size = bytes.size;
	index_begin(&collector.index);
	assert_int_equal(batch_message(&collector, &p), 0);
	assert_int_equal(files_sync(&collector.files), 0);
	assert_true(index_commit(&collector.index));
	buf_free(&bytes);
}

static void send_text(const char *host, enum message_kind kind, const char *name, uint64_t seq,
		      const char *text)
{
	struct message m = { .kind = kind, .seq = seq, .data = text, .size = strlen(text) };

	strcpy(m.source, name);
	deliver(host, &m);
}

static void send_part(const char *host, const char *name, const char *contents)
{
	send_text(host, MESSAGE_PART, name, 0, contents);
}

static void send_manifest(const char *host, const char *name, const char *contents,
			  const char *of)
{
	struct message m = { .kind = MESSAGE_MANIFEST };
	char sum[DIGEST_TEXT_SIZE];
	struct buf text = { 0 };
	FILE *file = tmpfile();

	assert_true(fputs(of, file) >= 0 && !fflush(file));
	assert_int_equal(checksum_file(fileno(file), -1, sum), 0);
	fclose(file);
	text_add(&text, "sha256", sum);
	text_add_u64(&text, "size", strlen(contents));
	text_add_u64(&text, "parts", 1);
	m.data = text.data;
	m.size = text.size;
	strcpy(m.source, name);
	deliver(host, &m);
	buf_free(&text);
}

static void send_incident(const char *host, const char *name, const char *contents)
{
	send_part(host, name, contents);
	send_manifest(host, name, contents, contents);
}

static int64_t number(const char *sql)
{
	return index_number(&collector.index, -1, sql, "");
}

/* How many messages were refused for a cause */
static int64_t refused(const char *cause)
{
	return index_number(&collector.index, 0, "SELECT sum(number) FROM refused WHERE cause = ?1",
			    "s", cause);
}

static const char *state_of(const char *host, const char *name)
{
	static char state[32];
	sqlite3_stmt *st = index_select(&collector.index,
		"SELECT state FROM incident JOIN host ON host.id = host"
		" WHERE host.name = ?1 AND incident.name = ?2", "ss", host, name);

	assert_true(index_row(&collector.index, st));
	index_copy_text(st, 0, state, sizeof(state));
	index_end(st);
	return state;
}

static void await_state(const char *host, const char *name, const char *state)
{
	for (int i = 0; i < 20000 && strcmp(state_of(host, name), state); i++) {
		store_complete(&collector);
		usleep(1000);
	}
	assert_string_equal(state_of(host, name), state);
}

static void test_results(void **state)
{
	(void)state;
	send_incident("web", "a", "recording");
	send_incident("web", "b", "other");
	send_part("web", "c", "damaged");
	send_manifest("web", "c", "damaged", "another");
	await_state("web", "a", "stored");
	await_state("web", "b", "stored");
	await_state("web", "c", "damaged");
	assert_int_equal(index_number(&collector.index, -1,
				      "SELECT sum(recording) FROM incident", ""), 1);
	assert_int_equal(collector.stored, 2);
	assert_int_equal(collector.stored_bytes, strlen("recording") + strlen("other"));
	/* Two STORED, and a MISSING */
	assert_int_equal(published, 3);
	assert_int_equal(index_number(&collector.index, -1, "SELECT number FROM refused"
				      " WHERE cause = 'wrong SHA-256'", ""), 1);
}

/* The file has its name already: a collector was killed before it wrote the index. */
static void test_has_name(void **state)
{
	char path[128];
	FILE *file;

	(void)state;
	for (int same = 0; same < 2; same++) {
		char name[] = { 'a' + same, '\0' };

		snprintf(path, sizeof(path), "%s/incidents/web", folder);
		assert_int_equal(files_directory(collector.files.incidents, "web") < 0, 0);
		snprintf(path, sizeof(path), "%s/incidents/web/%s.dat", folder, name);
		file = fopen(path, "w");
		fputs(same ? "recording" : "another", file);
		fclose(file);
		send_incident("web", name, "recording");
		await_state("web", name, same ? "stored" : "damaged");
	}
	assert_int_equal(index_number(&collector.index, -1, "SELECT number FROM refused"
				      " WHERE cause = 'another file of the same id'", ""), 1);
}

/* Checks that never end: those of another host end nevertheless. */
static void test_beside(void **state)
{
	(void)state;
	send_incident("evil", "a", "evil");
	send_incident("evil", "b", "evil too");
	send_incident("good", "a", "recording");
	await_state("good", "a", "stored");
	assert_string_equal(state_of("evil", "a"), "incoming");
	assert_true(store_is_busy(&collector));
	assert_int_equal(collector.checks.nr, 1);
	/* A manifest that comes meanwhile changes nothing. */
	send_manifest("evil", "a", "evi", "evi");
	assert_int_equal(index_number(&collector.index, -1, "SELECT size FROM incident"
				      " WHERE name = 'a' AND sha256 IS NOT NULL AND state = 'incoming'", ""),
			 strlen("evil"));
	send_incident("good", "b", "recording");
	await_state("good", "b", "stored");
}

/* All processes are busy: the turn of the host that used least comes next. */
static void test_turns(void **state)
{
	pid_t first;

	(void)state;
	for (int i = 0; i < CHECKS_MAX; i++) {
		char host[] = { 'e', '0' + i, '\0' };

		send_incident(host, "a", "evil");
		send_incident(host, "b", "evil");
	}
	store_complete(&collector);
	assert_int_equal(collector.checks.nr, CHECKS_MAX);
	send_incident("good", "a", "recording");
	store_complete(&collector);
	assert_string_equal(state_of("good", "a"), "incoming");
	first = collector.checks.check[0].pid;
	assert_int_equal(kill(first, SIGKILL), 0);
	await_state("good", "a", "stored");
	/* Nobody knows if the file of the process that was killed is damaged. */
	assert_int_equal(number("SELECT count(*) FROM incident WHERE state = 'damaged'"), 0);
	assert_int_equal(refused("wrong SHA-256"), 0);
}

/* Wait until three attempts have failed. */
static void await_errors(void)
{
	for (int errors = 0; errors < 3; errors++) {
		for (int i = 0; i < 20000 && !*collector.present_error; i++) {
			store_complete(&collector);
			usleep(1000);
		}
		assert_string_not_equal(collector.present_error, "");
		collector_works(&collector);
	}
	index_clear(&collector.index);
}

/*
 * An incident is stored when its name, that of its host and its bytes, if they were cut, are on
 * the disk. That a step is repeated does not mean that it is there.
 */
static void test_sync(void **state)
{
	static const struct {
		const char *host, *part, *unsynced;
	} cases[] = {
		{ "web", "recording", "/incidents" },
		{ "web", "recording", "/incidents/web" },
		{ "db", "recording and more", "/incoming/db/a.part" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char name[] = { 'a' + i % 2, '\0' };

		send_part(cases[i].host, name, cases[i].part);
		unsynced = cases[i].unsynced;
		send_manifest(cases[i].host, name, "recording", "recording");
		await_errors();
		assert_string_equal(state_of(cases[i].host, name), "incoming");
		assert_int_equal(collector.stored, i);
		unsynced = NULL;
		await_state(cases[i].host, name, "stored");
	}
}

/* Without the index nothing is stored, and no host hears that. */
static void test_no_index(void **state)
{
	(void)state;
	send_incident("web", "a", "recording");
	assert_int_equal(sqlite3_exec(collector.index.db,
		"CREATE TRIGGER t BEFORE UPDATE ON incident WHEN new.state = 'stored'"
		" BEGIN SELECT raise(ABORT, 'no'); END", NULL, NULL, NULL), 0);
	await_errors();
	assert_int_equal(published, 0);
	assert_int_equal(collector.stored_bytes, 0);
	sqlite3_exec(collector.index.db, "DROP TRIGGER t", NULL, NULL, NULL);
	await_state("web", "a", "stored");
	assert_int_equal(published, 1);
	assert_int_equal(collector.stored_bytes, strlen("recording"));
}

/* The process that opens a recording of others has limits. */
static void test_limits(void **state)
{
	(void)state;
	send_incident("web", "a", "limited");
	await_state("web", "a", "stored");
	assert_int_equal(number("SELECT recording FROM incident"), 1);
}

/* A damaged file is asked for again, but not without end. */
static void test_damaged_again(void **state)
{
	(void)state;
	for (int64_t times = 1; times <= 5; times++) {
		send_part("web", "a", "damaged");
		send_manifest("web", "a", "damaged", "another");
		for (int i = 0; i < 20000 && refused("wrong SHA-256") < times; i++) {
			store_complete(&collector);
			usleep(1000);
		}
		assert_int_equal(published, times < 3 ? times : 2);
	}
}

/* A file that is stored stays, whatever its host says. */
static void test_stored_stays(void **state)
{
	(void)state;
	send_incident("web", "a", "recording");
	await_state("web", "a", "stored");
	assert_int_equal(published, 1);
	send_manifest("web", "a", "recording", "recordin2");
	assert_int_equal(refused("another file of the same id"), 1);
	assert_int_equal(collector.replies.nr, 0);
	send_manifest("web", "a", "recording", "recording");
	send_text("web", MESSAGE_LOSS, "a", 0, "size = 9\ncause = none\n");
	send_text("web", MESSAGE_HELLO, "", 1, "incident = a 10\n");
	assert_int_equal(refused("another file of the same id"), 2);
	assert_int_equal(collector.replies.nr, 2);
	assert_string_equal(state_of("web", "a"), "stored");
}

/* Parts have the size that the manifest leaves them. Those that came before it may not fit. */
static void test_parts_fit(void **state)
{
	(void)state;
	send_text("web", MESSAGE_PART, "a", 1, "behind the end");
	send_manifest("web", "a", "recording", "recording");
	assert_int_equal(number("SELECT received FROM incoming"), 0);
	send_part("web", "a", "recordin");
	send_text("web", MESSAGE_PART, "a", 1, "recording");
	assert_int_equal(refused("invalid part"), 2);
	assert_int_equal(number("SELECT received FROM incoming"), 0);
	send_part("web", "a", "recording");
	await_state("web", "a", "stored");
}

static void test_share(void **state)
{
	(void)state;
	options.max_host_kb = 2048;
	send_part("web", "a", "1");
	send_part("web", "b", "2");
	send_part("web", "c", "3");
	send_part("other", "c", "3");
	assert_int_equal(refused("more than the host's share"), 1);
	assert_int_equal(number("SELECT count(*) FROM incoming"), 3);
}

/* A lost incident can be in the spool again. Numbers beyond those of the index are unknown. */
static void test_loss(void **state)
{
	(void)state;
	send_text("web", MESSAGE_LOSS, "a", 0,
		  "size = 9223372036854775807\nevents = 9223372036854775808\nlost = 18446744073709551615\n");
	assert_string_equal(state_of("web", "a"), "lost");
	assert_true(number("SELECT size FROM incident") == INT64_MAX);
	assert_int_equal(number("SELECT count(*) FROM incident WHERE events IS NULL AND lost IS NULL"), 1);
	send_text("web", MESSAGE_HELLO, "", 1, "incident = a 9\n");
	assert_string_equal(state_of("web", "a"), "announced");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_results, begin, end),
		cmocka_unit_test_setup_teardown(test_has_name, begin, end),
		cmocka_unit_test_setup_teardown(test_beside, begin, end),
		cmocka_unit_test_setup_teardown(test_turns, begin, end),
		cmocka_unit_test_setup_teardown(test_sync, begin, end),
		cmocka_unit_test_setup_teardown(test_no_index, begin, end),
		cmocka_unit_test_setup_teardown(test_limits, begin, end),
		cmocka_unit_test_setup_teardown(test_damaged_again, begin, end),
		cmocka_unit_test_setup_teardown(test_stored_stays, begin, end),
		cmocka_unit_test_setup_teardown(test_parts_fit, begin, end),
		cmocka_unit_test_setup_teardown(test_share, begin, end),
		cmocka_unit_test_setup_teardown(test_loss, begin, end),
	};

	return cmocka_run_group_tests_name("fleet_store", tests, NULL, NULL);
}
