// SPDX-License-Identifier: GPL-2.0-only
/*
 * `rbmap ship` with a transport of this test: the parts, manifests and messages of streams that
 * it sends, and the messages that it obeys. Each fsync() comes before the step that relies on it.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/agent.h"
#include "agent/uplink/files.h"
#include "remove_tree.h"

#define NAME	"2026-11-26T14.03.12.dat"
#define ID	"2026-11-26T14.03.12-ba7816bf"
#define HOST	"web-1"
#define BOOT	"0123456789abcdef0123456789abcdef"
#define KEPT	16	/* messages that the transport keeps */

static char dir[] = "/dev/shm/rbmap-fleet-agent.XXXXXX";
static struct agent_options options = { .transport.host = HOST, .snapshot = "./snapshot" };
static struct agent a;

/* ---- the disk */

static unsigned int syncs;	/* calls of fsync() since disk_begin() */
static unsigned int failing;	/* the call of them that fails; 0: none */
static char watched[256];	/* a file, and whether it was there at the last sync of a folder */
static char folder[64];
static bool was_there;

static void disk_begin(unsigned int fails)
{
	syncs = 0;
	failing = fails;
}

static void watch(const char *of, const char *path)
{
	snprintf(folder, sizeof(folder), "%s", of);
	snprintf(watched, sizeof(watched), "%s", path);
	was_there = false;
}

int fsync(int fd)
{
	char link[64], name[256] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (++syncs == failing) {
		errno = EIO;
		return -1;
	}
	if (*folder && readlink(link, name, sizeof(name) - 1) > 0 && strstr(name, folder))
		was_there = !access(watched, F_OK);
	return syscall(SYS_fsync, fd);
}

/* ---- the transport */

static struct {
	struct message m;
	char id[MESSAGE_ID_SIZE];
	char text[4096];
} sent[KEPT];
static unsigned int nr_sent;
static bool publish_fails;
static struct buf waiting;
static enum channel channel;
static bool has_waiting;

static int publish(struct transport *t, const struct parcel *parcels, unsigned int nr)
{
	struct buf space = { 0 };

	if (publish_fails)
		return transport_failed(t, -EAGAIN, "this test lets it fail");
	for (unsigned int i = 0; i < nr; i++) {
		struct message *m = &sent[nr_sent].m;
		size_t size;

		assert_true(nr_sent < KEPT);
		assert_null(message_decode(m, &space, parcels[i].data, parcels[i].size));
		size = m->size < sizeof(sent->text) - 1 ? m->size : sizeof(sent->text) - 1;
		memcpy(sent[nr_sent].text, m->data, size);
		sent[nr_sent].text[size] = '\0';
		memcpy(sent[nr_sent++].id, parcels[i].id, sizeof(parcels[i].id));
	}
	buf_free(&space);
	return 0;
}

static int receive(struct transport *t, struct parcel *p, int timeout_ms)
{
	(void)t;
	(void)timeout_ms;
	if (!has_waiting)
		return 0;
	*p = (struct parcel){ .channel = channel, .data = waiting.data, .size = waiting.size };
	return 1;
}

static int acknowledge(struct transport *t, struct parcel *p, bool done)
{
	(void)t;
	(void)p;
	assert_true(done);
	has_waiting = false;
	return 0;
}

static void close_transport(struct transport *t)
{
	(void)t;
}

static const struct transport_ops ops = {
	.publish = publish, .receive = receive, .acknowledge = acknowledge,
	.close = close_transport,
};

/* Let the agent handle a message of the collector or the administrator. */
static void deliver(enum channel by, const char *host, enum message_kind kind, const char *source,
		    uint64_t seq, const char *text)
{
	struct message m = { .kind = kind, .seq = seq, .data = text, .size = strlen(text) };

	strcpy(m.host, host);
	strcpy(m.boot, BOOT);
	strcpy(m.source, source);
	waiting.size = 0;
	assert_int_equal(message_encode(&waiting, &m), 0);
	channel = by;
	has_waiting = true;
	assert_true(agent_receive(&a, 0));
}

/* ---- the agent */

static bool goes_on(void)
{
	return false;
}

static int begin(void **state)
{
	(void)state;
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	if (!mkdtemp(dir) || chdir(dir) || mkdir("inc", 0700))
		return -1;
	disk_begin(0);
	watch("", "");
	nr_sent = 0;
	publish_fails = has_waiting = false;
	memset(&a, 0, sizeof(a));
	a.options = &options;
	a.uplink.options = options.transport;
	strcpy(a.uplink.boot, BOOT);
	a.uplink.transport.ops = &ops;
	a.uplink.is_open = true;
	return spool_open(&a.spool, "spool", 64 << 20) &&
	       !command_log_load(&a.command_log, a.spool.dir, a.spool.answers) &&
	       intake_begin(&a.intake, "inc", &a.spool, goes_on) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	sending_end(&a.sending, &a.uplink);
	intake_end(&a.intake);
	command_log_free(&a.command_log);
	spool_close(&a.spool);
	uplink_close(&a.uplink);
	buf_free(&waiting);
	waiting = (struct buf){ 0 };
	return chdir("/") || remove_tree(dir);
}

static void write_file(const char *path, const char *text, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
	assert_int_equal(truncate(path, size), 0);
}

/* Take a file of so many bytes. Return the incident. */
static struct incident *take(size_t size)
{
	write_file("spool/taking/" NAME, "abc", size);
	assert_int_equal(ingest_incident(&a.spool, NAME, NULL, goes_on), 0);
	return &a.spool.v[a.spool.nr - 1];
}

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

/* ---- incidents */

static int link_new(const char *name)
{
	int in = open("inc", O_RDONLY | O_DIRECTORY), fd = openat(in, name, O_RDONLY);
	int ret = ingest_link(&a.spool, in, name, fd, goes_on);

	close(fd);
	close(in);
	return ret;
}

/* The note that a file was taken comes after the file and its name are on the disk. */
static void test_link_is_synced(void **state)
{
	(void)state;
	write_file("inc/" NAME, "abc", 3);
	for (unsigned int fails = 1; fails <= 2; fails++) {
		disk_begin(fails);
		assert_int_equal(link_new(NAME), -EIO);
	}
	disk_begin(0);
	assert_int_equal(link_new(NAME), 0);
	assert_int_equal(syncs, 2);
}

/* Another file has got the name since the agent has looked at the file. */
static void test_link_of_other(void **state)
{
	int in = open("inc", O_RDONLY | O_DIRECTORY), fd;

	(void)state;
	write_file("inc/" NAME, "abc", 3);
	write_file("inc/other", "def", 3);
	fd = openat(in, NAME, O_RDONLY);
	assert_int_equal(rename("inc/other", "inc/" NAME), 0);
	assert_int_equal(ingest_link(&a.spool, in, NAME, fd, goes_on), -EAGAIN);
	assert_false(exists("spool/taking/" NAME));
	close(fd);
	close(in);
}

/* An incident is in the list when its state, its file and their names are on the disk. */
static void test_incident_is_synced(void **state)
{
	(void)state;
	write_file("spool/taking/" NAME, "abc", 3);
	for (unsigned int fails = 1; fails <= 4; fails++) {
		disk_begin(fails);
		assert_int_equal(ingest_incident(&a.spool, NAME, NULL, goes_on), -EIO);
		assert_int_equal(a.spool.nr, 0);
		if (!exists("spool/taking/" NAME))
			assert_int_equal(rename("spool/data/" ID, "spool/taking/" NAME), 0);
	}
	disk_begin(0);
	assert_int_equal(ingest_incident(&a.spool, NAME, NULL, goes_on), 0);
	assert_int_equal(a.spool.nr, 1);
}

/* A state without a file would be reported as a loss after a loss of power. */
static void test_state_goes_first(void **state)
{
	struct incident *i = take(3);

	(void)state;
	watch("/state", "spool/data/" ID);
	spool_remove(&a.spool, i);
	assert_true(was_there);
	assert_false(exists("spool/data/" ID));
}

/* If the removal of the state is not on the disk, the data stays, too. */
static void test_state_comes_back(void **state)
{
	struct incident *i = take(3);

	(void)state;
	disk_begin(1);
	spool_remove(&a.spool, i);
	disk_begin(0);
	assert_int_equal(a.spool.nr, 0);
	assert_true(exists("spool/data/" ID));
}

static void step(void)
{
	assert_int_equal(sending_step(&a.sending, &a.spool, &a.uplink), 0);
}

/* Parts come first, each again until it was published, and then the manifest. */
static void test_parts(void **state)
{
	struct incident *i = take(2 * MESSAGE_PAYLOAD_MAX + 1);
	char id[SOURCE_NAME_SIZE];

	(void)state;
	strcpy(id, i->id);
	deliver(CHANNEL_HOST, HOST, MESSAGE_PERMIT, id, 5, "");
	publish_fails = true;
	assert_int_equal(sending_step(&a.sending, &a.spool, &a.uplink), -EAGAIN);
	publish_fails = false;
	step();
	assert_int_equal(nr_sent, 3);
	for (unsigned int part = 0; part < 3; part++) {
		assert_int_equal(sent[part].m.kind, MESSAGE_PART);
		assert_int_equal(sent[part].m.seq, part);
		assert_int_equal(sent[part].m.size, part < 2 ? MESSAGE_PAYLOAD_MAX : 1);
		assert_string_equal(sent[part].m.host, HOST);
	}
	assert_int_equal(memcmp(sent[0].text, "abc", 4), 0);
	step();
	assert_int_equal(nr_sent, 4);
	assert_int_equal(sent[3].m.kind, MESSAGE_MANIFEST);
	assert_non_null(strstr(sent[3].text, "parts = 3\n"));
	assert_false(sending_wanted(&a.sending, &a.spool));

	/* The same permit again changes nothing, and a part that is missing comes again. */
	deliver(CHANNEL_HOST, HOST, MESSAGE_PERMIT, id, 5, "");
	assert_false(sending_wanted(&a.sending, &a.spool));
	deliver(CHANNEL_HOST, HOST, MESSAGE_MISSING, id, 0, "part = 1\npart = 7-9\n");
	step();
	assert_int_equal(nr_sent, 5);
	assert_int_equal(sent[4].m.seq, 1);
	/* A transport drops a message with the id of an earlier one. */
	assert_string_not_equal(sent[4].id, sent[1].id);
}

/* A file that has changed is lost, and is not sent again and again. */
static void test_changed(void **state)
{
	struct incident *i = take(3);
	char id[SOURCE_NAME_SIZE];

	(void)state;
	strcpy(id, i->id);
	deliver(CHANNEL_HOST, HOST, MESSAGE_PERMIT, id, 5, "");
	write_file("spool/data/" ID, "abd", 3);
	step();
	step();
	assert_int_equal(nr_sent, 1);
	assert_int_equal(a.spool.nr, 0);
	assert_int_equal(a.spool.losses.nr, 1);
	assert_string_equal(a.spool.losses.v[0].id, id);
}

/* If the name of a new folder is not on the disk, the next agent makes the folder anew. */
static void test_folders_are_synced(void **state)
{
	struct spool other;

	(void)state;
	disk_begin(1);
	assert_false(spool_open(&other, "other", 1000));
	disk_begin(0);
	assert_true(spool_open(&other, "other", 1000));
	/* taking, data, state, permits, losses, answers */
	assert_int_equal(syncs, 6);
	spool_close(&other);
}

/* ---- messages for the host */

/* A message for another host, or one that comes another way than the collector's, is refused. */
static void test_stored(void **state)
{
	struct incident *i = take(3);
	char id[SOURCE_NAME_SIZE];

	(void)state;
	strcpy(id, i->id);
	deliver(CHANNEL_HOST, "web-2", MESSAGE_STORED, id, 0, "");
	deliver(CHANNEL_ALL, HOST, MESSAGE_STORED, id, 0, "");
	deliver(CHANNEL_HOST, HOST, MESSAGE_PART, id, 0, "");
	assert_int_equal(a.spool.nr, 1);
	assert_int_equal(a.invalid, 3);
	deliver(CHANNEL_HOST, HOST, MESSAGE_STORED, id, 0, "");
	assert_int_equal(a.spool.nr, 0);
	assert_int_equal(a.invalid, 3);
	assert_false(exists("spool/data/" ID) || exists("spool/state/" ID));
}

static size_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_size;
}

/* A command is executed once, and is noted before that. */
static void test_command(void **state)
{
	static const char script[] =
		"#!/bin/sh\ngrep -q 'begun c1 ' spool/commands && printf x >>runs\nexit 7\n";

	(void)state;
	write_file("snapshot", script, strlen(script));
	assert_int_equal(chmod("snapshot", 0700), 0);
	deliver(CHANNEL_ALL, "", MESSAGE_COMMAND, "c1", 0, "action = snapshot\nhosts = db-*\n");
	deliver(CHANNEL_HOST, HOST, MESSAGE_COMMAND, "c1", 0, "action = snapshot\nhosts = *\n");
	assert_int_equal(size_of("runs"), 0);
	for (int times = 0; times < 2; times++)
		deliver(CHANNEL_ALL, "", MESSAGE_COMMAND, "c1", 0,
			"action = snapshot\nhosts = web-*\n");
	assert_int_equal(size_of("runs"), 1);
	assert_true(size_of("spool/answers/c1") > 0);
	deliver(CHANNEL_ALL, "", MESSAGE_COMMAND, "c2", 0, "action = reboot\nhosts = *\n");
	assert_int_equal(size_of("runs"), 1);
	assert_true(size_of("spool/answers/c2") > 0);
}

/* ---- streams */

static struct stream_spool streams;
static struct stream_sender sender;

static void begin_streams(void)
{
	memset(&sender, 0, sizeof(sender));
	sender.cursor.fd = -1;
	assert_int_equal(stream_spool_open(&streams, a.spool.dir, STREAM_SPOOL_MIN, BOOT), 0);
}

static void end_streams(void)
{
	stream_cursor_reset(&sender.cursor);
	stream_spool_close(&streams);
}

/* Append message @seq of a source: 10 events, and 1 lost before them. */
static void append(const char *source, uint64_t seq, size_t size)
{
	struct stream_record r = {
		.kind = MESSAGE_SUBBUFS, .seq = seq, .number = 11 * (seq + 1), .time = seq,
		.events = 10, .lost = 1, .after = { 10 * (seq + 1), seq + 1, 0 },
	};
	struct message m = { .kind = MESSAGE_SUBBUFS, .seq = seq, .lost = 1 };
	char *payload = calloc(1, size);
	struct buf bytes = { 0 };

	/* Bytes that zlib does not make smaller */
	for (size_t i = 0; i < size; i++)
		payload[i] = (char)rand();
	m.data = payload;
	m.size = size;
	strcpy(m.host, HOST);
	strcpy(m.boot, BOOT);
	strcpy(m.source, source);
	strcpy(r.source, source);
	assert_int_equal(message_encode(&bytes, &m), 0);
	assert_int_equal(stream_spool_append(&streams, &r, bytes.data, bytes.size), 0);
	buf_free(&bytes);
	free(payload);
}

static void send_streams(int ret)
{
	sender.synced = 0;
	sender.backoff = (struct backoff){ 0 };
	assert_int_equal(stream_send(&sender, &streams, &a.uplink), ret);
}

static void stream_stored(const char *line)
{
	char text[256];
	struct message m = { .kind = MESSAGE_STORED, .data = text };

	m.size = snprintf(text, sizeof(text), "stream = %s\n", line);
	stream_send_stored(&sender, &streams, &m);
}

/* A message that was not published is sent again. One that is stored leaves other sources. */
static void test_streams(void **state)
{
	(void)state;
	begin_streams();
	append("main.0.1.1", 0, 100);
	append("main.1.1.1", 0, 100);
	publish_fails = true;
	send_streams(-EAGAIN);
	assert_int_equal(nr_sent, 0);
	publish_fails = false;
	send_streams(1);
	assert_int_equal(nr_sent, 2);
	assert_int_equal(sender.nr, 2);
	send_streams(0);
	assert_int_equal(nr_sent, 2);
	stream_stored("main.0.1.1 1");
	assert_int_equal(sender.nr, 1);
	assert_string_equal(sender.flight[0].source, "main.1.1.1");
	/* The collector lacks the other one, and said so after the time for that. */
	stream_stored("main.1.1.1 0");
	send_streams(1);
	assert_int_equal(nr_sent, 3);
	assert_string_equal(sent[2].m.source, "main.1.1.1");
	assert_string_not_equal(sent[2].id, sent[1].id);
	stream_stored("main.1.1.1 1");
	assert_true(stream_spool_is_stored(&streams));
	end_streams();
}

static void assert_line(const char *text, const char *name, unsigned int number)
{
	char line[64];

	snprintf(line, sizeof(line), "\n%s = %u\n", name, number);
	assert_non_null(strstr(text, line));
}

/* Messages that the full spool has dropped are a gap. The sums of the gap go up to its end. */
static void test_gap(void **state)
{
	unsigned int gap = 0, last;

	(void)state;
	begin_streams();
	for (uint64_t seq = 0; seq < 30; seq++) {
		append("main.0.1.1", seq, 500000);
		if (seq == 5)
			stream_stored("main.0.1.1 3");
	}
	send_streams(1);
	while (gap < nr_sent && sent[gap].m.kind != MESSAGE_GAP)
		gap++;
	assert_int_not_equal(gap, nr_sent);
	last = sent[gap].m.seq;
	assert_int_equal(streams.dropped, last + 1 - 3);
	assert_line(sent[gap].text, "events-before", 10 * (last + 1));
	assert_line(sent[gap].text, "lost-before", last + 1);
	assert_line(sent[gap].text, "number", 11 * (last + 1));
	end_streams();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_link_is_synced, begin, end),
		cmocka_unit_test_setup_teardown(test_link_of_other, begin, end),
		cmocka_unit_test_setup_teardown(test_incident_is_synced, begin, end),
		cmocka_unit_test_setup_teardown(test_state_goes_first, begin, end),
		cmocka_unit_test_setup_teardown(test_state_comes_back, begin, end),
		cmocka_unit_test_setup_teardown(test_parts, begin, end),
		cmocka_unit_test_setup_teardown(test_changed, begin, end),
		cmocka_unit_test_setup_teardown(test_folders_are_synced, begin, end),
		cmocka_unit_test_setup_teardown(test_stored, begin, end),
		cmocka_unit_test_setup_teardown(test_command, begin, end),
		cmocka_unit_test_setup_teardown(test_streams, begin, end),
		cmocka_unit_test_setup_teardown(test_gap, begin, end),
	};

	return cmocka_run_group_tests_name("fleet_agent", tests, NULL, NULL);
}
