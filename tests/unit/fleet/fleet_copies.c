// SPDX-License-Identifier: GPL-2.0-only
/* Copies of what hosts have sent: no host takes the name of another one, or ends a command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "admin/commands.h"
#include "base/complain.h"
#include "collector_fixture.h"
#include "message/digest.h"
#include "message/stream/batch.h"
#include "message/stream/stream.h"

#define BOOT	"0123456789abcdef0123456789abcdef"

static char output[64];

static int begin(void **state)
{
	(void)state;
	if (!begin_collector("fleet-copies"))
		return -1;
	snprintf(output, sizeof(output), "%.50s/out", folder);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return end_collector();
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Store an incident of a command without answers. */
static void store(const char *host, const char *name, const char *contents)
{
	struct index_incident incident;
	char path[256], sum[DIGEST_TEXT_SIZE];
	struct index_host h;
	FILE *file;

	snprintf(path, sizeof(path), "%s/incidents/%s", folder, host);
	mkdir(path, 0750);
	snprintf(path, sizeof(path), "%s/incidents/%s/%s.dat", folder, host, name);
	write_text(path, contents);
	file = fopen(path, "r");
	assert_int_equal(checksum_file(fileno(file), -1, sum), 0);
	fclose(file);
	assert_true(index_host_seen(&collector.index, host, BOOT, 1, &h));
	assert_true(index_incident_get(&collector.index, h.id, name, INCIDENT_STORED, 1, &incident));
	index_run(&collector.index, "UPDATE incident SET command = 'c', sha256 = ?2 WHERE id = ?1",
		  "is", incident.id, sum);
	assert_int_equal(collector.index.code, 0);
}

static void assert_copy(const char *name, const char *text)
{
	char path[256], found[1024] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", output, name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s is not there", name);
	assert_true(fread(found, 1, sizeof(found) - 1, file) > 0);
	fclose(file);
	assert_non_null(strstr(found, text));
}

static void test_fetch_names(void **state)
{
	const struct fleet_options o = {
		.directory = folder, .output = output, .id = "c", .hosts = "*",
	};

	(void)state;
	store("web", "1-2026", "of web");
	store("web-1", "2026", "of web-1");
	assert_int_equal(fleet_fetch(&o), STATUS_OK);
	assert_copy("web/1-2026.dat", "of web");
	assert_copy("web-1/2026.dat", "of web-1");
	assert_copy("manifest.txt", "copy = web/1-2026.dat\n");
}

/* Files that are gone, that are links, and that are damaged */
static void test_fetch_skips(void **state)
{
	const struct fleet_options o = {
		.directory = folder, .output = output, .id = "c", .hosts = "*",
	};
	char path[256];

	(void)state;
	store("a", "x", "of a");
	store("b", "x", "of b");
	store("c", "x", "of c");
	store("d", "x", "of d");
	snprintf(path, sizeof(path), "%s/incidents/a/x.dat", folder);
	assert_int_equal(unlink(path) || symlink("/etc/passwd", path), 0);
	snprintf(path, sizeof(path), "%s/incidents/b/x.dat", folder);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/incidents/c/x.dat", folder);
	write_text(path, "of another");
	assert_int_equal(fleet_fetch(&o), STATUS_CUT);
	assert_copy("d/x.dat", "of d");
	snprintf(path, sizeof(path), "%s/c/x.dat", output);
	assert_int_equal(access(path, F_OK), -1);
}

static void deliver(const char *host, const char *boot, struct message *m)
{
	struct parcel p = { .channel = CHANNEL_COLLECTOR };
	struct buf bytes = { 0 };

	snprintf(m->host, sizeof(m->host), "%s", host);
	snprintf(m->boot, sizeof(m->boot), "%s", boot);
	strcpy(p.host, m->host);
	assert_int_equal(message_encode(&bytes, m), 0);
	p.data = bytes.data;
	p.size = bytes.size;
	index_begin(&collector.index);
	assert_int_equal(batch_message(&collector, &p), 0);
	assert_int_equal(stream_files_sync(&collector.streams), 0);
	assert_true(index_commit(&collector.index));
	streams_cut(&collector, 0);
	buf_free(&bytes);
}

/* Send message @seq of a source, with one event and the head's sums and number. */
static void send_batch(const char *host, const char *boot, const char *source, uint64_t seq,
		       uint64_t lost, struct batch_head head)
{
	static const uint32_t event[] = { 1, 1 };
	struct message m = { .kind = MESSAGE_SUBBUFS, .seq = seq, .lost = lost };
	struct buf payload = { 0 };

	head.events = 1;
	head.begin = 1000;
	head.end = 2000;
	strcpy(m.source, source);
	batch_begin(&payload);
	batch_add(&payload, batch_subbuf(&payload, 1, 1000), event, sizeof(event));
	batch_end(&payload, &head);
	m.data = payload.data;
	m.size = payload.size;
	deliver(host, boot, &m);
	buf_free(&payload);
}

static void send_events_of(const char *host, const char *boot, uint64_t lost, const char *source)
{
	send_batch(host, boot, source, 0, lost, (struct batch_head){ 0 });
}

static void send_events(const char *host, const char *boot, uint64_t lost)
{
	send_events_of(host, boot, lost, "main.0.1.1");
}

static void send_head_of(const char *host, const char *boot, const char *source)
{
	struct dat_format format = {
		"test", "name: number\nID: 1\nformat:\n"
			"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
			"print fmt: \"\"\n",
	};
	struct stream_head head = {
		.page_size = 4096, .nr_cpus = 1, .clock = "local", .uname = "Linux h 6.12 x86_64",
		.version = "test", .formats = &format, .nr_formats = 1, .names = "1 init\n",
	};
	struct message m = { .kind = MESSAGE_HEAD };
	struct buf payload = { 0 };

	strcpy(m.source, source);
	assert_int_equal(stream_head_encode(&payload, &head), 0);
	m.data = payload.data;
	m.size = payload.size;
	deliver(host, boot, &m);
	buf_free(&payload);
}

static void send_head(const char *host, const char *boot)
{
	send_head_of(host, boot, "main.head.1.1");
}

static const struct fleet_options stream_options = {
	.directory = folder, .output = output, .hosts = "*", .until = INT64_MAX,
};

static void test_stream_without_head(void **state)
{
	(void)state;
	send_events("a", BOOT, 0);
	send_events("b", BOOT, INT64_MAX);
	send_head("b", BOOT);
	send_events("c", BOOT, 7);
	send_head("c", BOOT);
	assert_int_equal(fleet_stream(&stream_options), STATUS_CUT);
	assert_copy("b.dat", "tracing");
	assert_copy("c.dat", "tracing");
	assert_copy("manifest.txt", "host = a\nboot = " BOOT "\nbuffer = main\nstate = skipped\n");
	assert_copy("manifest.txt", "host = c\nboot = " BOOT "\nbuffer = main\ncopy = c.dat\n"
		    "events = 1\nlost = 7\n");
}

/* Two boots with the same first digits, and a host that has the name of such a file */
static void test_stream_names(void **state)
{
	static const char *const boots[] = { BOOT, "0123456789abcdef0123456789abcdee" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		/* Each boot is another incarnation. */
		send_events_of("web", boots[i], 0, i ? "main.0.1.2" : "main.0.1.1");
		send_head_of("web", boots[i], i ? "main.head.1.2" : "main.head.1.1");
	}
	send_events("web-main-01234567", BOOT, 0);
	send_head("web-main-01234567", BOOT);
	assert_int_equal(fleet_stream(&stream_options), STATUS_OK);
	assert_copy("web/main-" BOOT ".dat", "tracing");
	assert_copy("web/main-0123456789abcdef0123456789abcdee.dat", "tracing");
	assert_copy("web-main-01234567.dat", "tracing");
}

/* Several incarnations of a ring: the sum of what a host says of them has an end. */
static void test_stream_sums(void **state)
{
	(void)state;
	send_events("a", BOOT, INT64_MAX);
	send_head("a", BOOT);
	index_run(&collector.index, "INSERT INTO stream_source (host, source, boot, buffer, cpu,"
		  " generation, changed, events, lost) SELECT host, 'main.0.1.2', boot, buffer, cpu,"
		  " generation, 1, 9223372036854775807, 9223372036854775807 FROM stream_source"
		  " WHERE cpu = 0", "");
	assert_int_equal(fleet_stream(&stream_options), STATUS_OK);
	assert_copy("manifest.txt",
		    "ring = 0 1 9223372036854775807 9223372036854775807 0 0 1\n");
}

/* The spool was full when the agent began again: the end of a run is a loss, and counts once. */
static void test_stream_end_of_run(void **state)
{
	static const char gap[] = "events-before = 10\nlost-before = 0\nnumber = 10\n";
	struct message m = {
		.kind = MESSAGE_GAP, .seq = 9, .source = "main.0.1.1", .data = gap,
		.size = strlen(gap),
	};

	(void)state;
	send_head("a", BOOT);
	for (uint64_t i = 0; i < 5; i++)
		send_batch("a", BOOT, "main.0.1.1", i, 0, (struct batch_head){
			.before.events = i, .number = i });
	deliver("a", BOOT, &m);
	/* Three events more are lost before the first message of the second run. */
	send_batch("a", BOOT, "main.0.1.2", 0, 3, (struct batch_head){ .number = 13 });
	/* The third run goes on exactly there, and of the fourth one two messages are missing. */
	send_batch("a", BOOT, "main.0.1.3", 0, 0, (struct batch_head){ .number = 14 });
	send_batch("a", BOOT, "main.0.1.4", 2, 0, (struct batch_head){
		.before = { .events = 2, .lost = 7 }, .number = 24 });
	assert_int_equal(fleet_stream(&stream_options), STATUS_CUT);
	assert_copy("manifest.txt", "events = 8\nlost = 17\nmissed = 0\nlosses-without-number = 0\nmissing = 3\n");
}

/* A ring that was made again numbers its events from 0: what is lost before them is known. */
static void test_stream_ring_again(void **state)
{
	(void)state;
	send_head("a", BOOT);
	send_batch("a", BOOT, "main.0.1.1", 0, 0, (struct batch_head){ .number = 50 });
	send_batch("a", BOOT, "main.0.1.2", 0, 20, (struct batch_head){ .number = 20 });
	assert_int_equal(fleet_stream(&stream_options), STATUS_OK);
	assert_copy("manifest.txt", "events = 2\nlost = 20\nmissed = 0\nlosses-without-number = 0\nmissing = 0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fetch_names, begin, end),
		cmocka_unit_test_setup_teardown(test_fetch_skips, begin, end),
		cmocka_unit_test_setup_teardown(test_stream_without_head, begin, end),
		cmocka_unit_test_setup_teardown(test_stream_names, begin, end),
		cmocka_unit_test_setup_teardown(test_stream_sums, begin, end),
		cmocka_unit_test_setup_teardown(test_stream_end_of_run, begin, end),
		cmocka_unit_test_setup_teardown(test_stream_ring_again, begin, end),
	};

	return cmocka_run_group_tests_name("fleet_copies", tests, NULL, NULL);
}
