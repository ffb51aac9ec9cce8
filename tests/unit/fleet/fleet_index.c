// SPDX-License-Identifier: GPL-2.0-only
/* The index of the collector, without a collector. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/index/hosts.h"
#include "collector/index/incidents.h"
#include "message/digest.h"

#define BOOT	"0123456789abcdef0123456789abcdef"

static char folder[] = "/tmp/fleet-index-XXXXXX";
static struct fleet_index ix;

static int begin(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/fleet-index-XXXXXX");
	if (!mkdtemp(folder) || !index_open(&ix, folder, INDEX_CREATE))
		return -1;
	return 0;
}

static int end(void **state)
{
	static const char *const names[] = { "", "-wal", "-shm" };
	char path[128];

	(void)state;
	index_close(&ix);
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/" INDEX_FILE "%s", folder, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

static struct index_host add_host(const char *name)
{
	struct index_host host;

	assert_true(index_host_seen(&ix, name, BOOT, 1000, &host));
	return host;
}

static struct index_incident add_incident(int64_t host, const char *name)
{
	struct index_incident incident;

	assert_true(index_incident_get(&ix, host, name, INCIDENT_ANNOUNCED, 1000, &incident));
	return incident;
}

static void test_transaction(void **state)
{
	struct index_host host;

	(void)state;
	index_begin(&ix);
	add_host("web-1");
	index_rollback(&ix);
	index_begin(&ix);
	host = add_host("web-2");
	assert_true(index_commit(&ix));
	assert_int_equal(index_number(&ix, 0, "SELECT count(*) FROM host", ""), 1);
	assert_true(index_host_by_id(&ix, host.id, &host));
	assert_string_equal(host.name, "web-2");
}

/* An error in the middle of a transaction undoes all of it, and the next one works. */
static void test_error(void **state)
{
	(void)state;
	index_begin(&ix);
	add_host("web-1");
	index_run(&ix, "INSERT INTO host (name) VALUES ('no boot')", "");
	assert_int_not_equal(ix.code, 0);
	assert_false(index_commit(&ix));
	assert_true(*ix.error);
	index_begin(&ix);
	assert_int_equal(index_number(&ix, 0, "SELECT count(*) FROM host", ""), 0);
	assert_true(index_commit(&ix));
}

static void test_version(void **state)
{
	struct fleet_index other;

	(void)state;
	assert_true(index_open(&other, folder, INDEX_READ));
	index_close(&other);
	index_run(&ix, "PRAGMA user_version = 99", "");
	assert_false(index_open(&other, folder, INDEX_READ));
	assert_non_null(strstr(other.error, "99"));
	assert_false(index_open(&other, "/no/such/folder", INDEX_READ));
	assert_true(*other.error);
}

static void test_reader_beside_writer(void **state)
{
	struct fleet_index reader;

	(void)state;
	add_host("web-1");
	assert_true(index_open(&reader, folder, INDEX_READ));
	index_begin(&ix);
	add_host("web-2");
	assert_int_equal(index_number(&reader, 0, "SELECT count(*) FROM host", ""), 1);
	assert_true(index_commit(&ix));
	assert_int_equal(index_number(&reader, 0, "SELECT count(*) FROM host", ""), 2);
	index_run(&reader, "DELETE FROM host", "");
	assert_int_equal(reader.code, SQLITE_READONLY);
	index_close(&reader);
}

/* Each host that waits has its turn before any has a second one. */
static void test_turns(void **state)
{
	int64_t order[6];
	struct index_host host;
	char name[32];

	(void)state;
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "host-%d", i);
		host = add_host(name);
		index_host_wants(&ix, host.id, true);
	}
	for (int i = 0; i < 6; i++) {
		assert_true(index_host_next(&ix, &host));
		order[i] = host.id;
		index_host_turn(&ix, host.id);
		index_host_wants(&ix, host.id, true);
	}
	assert_true(order[0] != order[1] && order[1] != order[2] && order[0] != order[2]);
	assert_memory_equal(order, order + 3, 3 * sizeof(*order));
	for (int i = 0; i < 3; i++)
		index_host_turn(&ix, order[i]);
	assert_false(index_host_next(&ix, &host));
}

/* Return the only incident that is complete, or 0. */
static int64_t complete(void)
{
	sqlite3_stmt *st = index_parts_complete(&ix);
	int64_t id = 0;

	while (index_row(&ix, st)) {
		assert_int_equal(id, 0);
		id = sqlite3_column_int64(st, 0);
	}
	return id;
}

static void test_parts(void **state)
{
	static struct index_parts parts, again;
	struct index_host host = add_host("web-1");
	struct index_incident incident = add_incident(host.id, "inc");
	struct buf text = { 0 };
	uint64_t incidents;

	(void)state;
	assert_false(index_parts_read(&ix, incident.id, &parts));
	parts.parts = 1024;
	for (uint64_t seq = 0; seq < 1024; seq++)
		if (seq != 0 && seq != 7 && seq != 8 && seq != 1023)
			index_part_add(&parts, seq);
	index_parts_write(&ix, &parts, 1, 5);
	assert_true(index_parts_read(&ix, incident.id, &again));
	assert_memory_equal(&parts, &again, sizeof(parts));
	index_parts_missing(&again, &text, 10);
	buf_add(&text, "", 1);
	assert_string_equal(text.data, "part = 0-0\npart = 7-8\npart = 1023-1023\n");
	text.size = 0;
	index_parts_missing(&again, &text, 1);
	buf_add(&text, "", 1);
	assert_string_equal(text.data, "part = 0-0\n");
	buf_free(&text);

	assert_true(index_number(&ix, 0, "SELECT max(length(bitmap)) FROM incoming", "") <= 128);
	index_incident_set(&ix, incident.id, INCIDENT_INCOMING, 2);
	assert_int_equal(index_parts_of_host(&ix, host.id, &incidents), 1020);
	assert_int_equal(incidents, 1);
	assert_int_equal(complete(), 0);
	assert_int_equal(index_parts_to_ask(&ix, 4), 0);
	assert_int_equal(index_parts_to_ask(&ix, 5), incident.id);
	index_part_add(&parts, 0);
	index_part_add(&parts, 7);
	index_part_add(&parts, 8);
	index_part_add(&parts, 1023);
	index_parts_write(&ix, &parts, 1, INDEX_UNKNOWN);
	assert_int_equal(complete(), incident.id);
	assert_int_equal(index_parts_to_ask(&ix, INT64_MAX), 0);
	index_parts_remove(&ix, incident.id);
	assert_int_equal(index_number(&ix, -1, "SELECT count(*) FROM incoming", ""), 0);
}

/* The largest number of parts fits, and bits are at their places. */
static void test_part_limits(void **state)
{
	static struct index_parts parts, again;
	struct index_host host = add_host("web-1");
	struct index_incident incident = add_incident(host.id, "inc");

	(void)state;
	parts = (struct index_parts){ .incident = incident.id, .parts = INDEX_UNKNOWN };
	index_part_add(&parts, INDEX_PARTS_MAX - 1);
	index_parts_write(&ix, &parts, 1, INDEX_UNKNOWN);
	assert_true(index_parts_read(&ix, incident.id, &again));
	assert_true(index_part_is_here(&again, INDEX_PARTS_MAX - 1));
	assert_false(index_part_is_here(&again, INDEX_PARTS_MAX - 2));
	assert_int_equal(again.parts, INDEX_UNKNOWN);
	/* A bitmap of another program cannot be too long. */
	index_run(&ix, "UPDATE incoming SET bitmap = zeroblob(100000)", "");
	assert_true(index_parts_read(&ix, incident.id, &again));
	assert_false(index_part_is_here(&again, INDEX_PARTS_MAX - 1));
}

static void test_states(void **state)
{
	struct index_loss loss = { .size = 5, .events = 6, .lost = INDEX_UNKNOWN, .cause = "full" };
	struct index_host host = add_host("web-1");
	struct index_hello hello = { .events = 1, .lost = INDEX_UNKNOWN };
	struct index_incident first = add_incident(host.id, "first"), second, found;

	(void)state;
	second = add_incident(host.id, "second");
	index_incident_listed(&ix, first.id, 10, 50);
	index_incident_listed(&ix, second.id, 20, 50);
	index_host_hello(&ix, host.id, &hello, 50);
	assert_true(index_incident_to_send(&ix, host.id, 0, &found));
	assert_int_equal(found.id, first.id);
	assert_int_equal(found.size, 10);
	for (int i = 0; i < 3; i++)
		index_incident_damaged(&ix, first.id, 60);
	assert_true(index_incident_to_send(&ix, host.id, 60, &found));
	assert_int_equal(found.id, second.id);
	assert_true(index_incident_to_send(&ix, host.id, 61, &found));
	assert_int_equal(found.id, first.id);
	index_incident_stored(&ix, first.id, true, 70);

	/* The next HELLO lists nothing: an announced incident is forgotten, a lost one is not. */
	index_incident_lost(&ix, second.id, &loss, 80);
	index_incident_set(&ix, second.id, INCIDENT_ANNOUNCED, 81);
	add_incident(host.id, "third");
	index_host_hello(&ix, host.id, &hello, 90);
	index_incidents_unlisted(&ix, host.id, 90);
	assert_false(index_incident_find(&ix, host.id, "third", &found));
	assert_true(index_incident_find(&ix, host.id, "second", &found));
	assert_int_equal(found.state, INCIDENT_LOST);
	assert_true(index_incident_find(&ix, host.id, "first", &found));
	assert_int_equal(found.state, INCIDENT_STORED);
	assert_false(index_incident_to_send(&ix, host.id, 100, &found));
	assert_int_equal(index_number(&ix, -1, "SELECT lost FROM incident WHERE name = 'second'", ""), -1);
}

/* A host that loses incidents without end keeps a thousand rows. */
static void test_bounded_rows(void **state)
{
	struct index_host host = add_host("evil"), other = add_host("good");
	struct index_loss loss = { 0 };
	struct index_incident incident;
	char name[32];

	(void)state;
	index_begin(&ix);
	incident = add_incident(other.id, "loss");
	index_incident_lost(&ix, incident.id, &loss, 1);
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "loss-%d", i);
		incident = add_incident(host.id, name);
		index_incident_lost(&ix, incident.id, &loss, i);
		index_incidents_trim(&ix, host.id);
		index_refuse(&ix, host.id, i % NR_REFUSALS, i);
		index_refuse(&ix, 0, REFUSED_HOSTS, i);
	}
	assert_true(index_commit(&ix));
	assert_int_equal(index_number(&ix, 0, "SELECT count(*) FROM incident", ""), 1001);
	assert_true(index_incident_find(&ix, host.id, "loss-2999", &incident));
	assert_false(index_incident_find(&ix, host.id, "loss-1999", &incident));
	assert_int_equal(index_number(&ix, 0, "SELECT count(*) FROM refused", ""), NR_REFUSALS + 1);
	assert_int_equal(index_number(&ix, 0, "SELECT sum(number) FROM refused", ""), 6000);
}

static void test_commands(void **state)
{
	struct index_command command = { .hosts = "*", .reason = "test", .time = 7 };
	struct index_answer answer = { .state = "taken", .oldest = 5, .late = INDEX_UNKNOWN };
	struct index_host host = add_host("web-1");

	(void)state;
	index_begin(&ix);
	for (int i = 0; i < 1005; i++) {
		snprintf(command.name, sizeof(command.name), "command-%d", i);
		index_command_add(&ix, &command);
		assert_true(index_command_find(&ix, command.name, &command));
		index_answer(&ix, command.id, host.id, &answer, i);
		index_answer(&ix, command.id, host.id, &answer, i);
	}
	assert_true(index_commit(&ix));
	assert_false(index_command_find(&ix, "command-4", &command));
	assert_true(index_command_find(&ix, "command-5", &command));
	assert_int_equal(command.time, 7);
	assert_int_equal(index_number(&ix, 0, "SELECT count(*) FROM answer", ""), 1000);
	assert_int_equal(ix.code, 0);
}

static void test_hosts(void **state)
{
	struct index_host host = add_host("web-1"), other;

	(void)state;
	/* A message that was refused does not change the boot. */
	assert_true(index_host_seen(&ix, "web-1", "", 2000, &other));
	assert_int_equal(host.id, other.id);
	assert_string_equal(other.boot, BOOT);
	add_host("web-2");
	add_incident(host.id, "inc");
	index_refuse(&ix, other.id, REFUSED_PART, 1);
	index_hosts_forget(&ix, 3000);
	assert_int_equal(index_number(&ix, 0, "SELECT count(*) FROM host", ""), 1);
	assert_true(index_host_by_id(&ix, host.id, &host));
}

static void test_checksum(void **state)
{
	char sum[DIGEST_TEXT_SIZE];
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	assert_int_equal(checksum_file(fileno(file), -1, sum), 0);
	assert_string_equal(sum, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	fputs("abc", file);
	fflush(file);
	assert_int_equal(checksum_file(fileno(file), -1, sum), 0);
	assert_string_equal(sum, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_true(is_sha256(sum));
	sum[0] = 'A';
	assert_false(is_sha256(sum));
	assert_false(is_sha256("abc"));
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_transaction, begin, end),
		cmocka_unit_test_setup_teardown(test_error, begin, end),
		cmocka_unit_test_setup_teardown(test_version, begin, end),
		cmocka_unit_test_setup_teardown(test_reader_beside_writer, begin, end),
		cmocka_unit_test_setup_teardown(test_turns, begin, end),
		cmocka_unit_test_setup_teardown(test_parts, begin, end),
		cmocka_unit_test_setup_teardown(test_part_limits, begin, end),
		cmocka_unit_test_setup_teardown(test_states, begin, end),
		cmocka_unit_test_setup_teardown(test_bounded_rows, begin, end),
		cmocka_unit_test_setup_teardown(test_commands, begin, end),
		cmocka_unit_test_setup_teardown(test_hosts, begin, end),
		cmocka_unit_test(test_checksum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
