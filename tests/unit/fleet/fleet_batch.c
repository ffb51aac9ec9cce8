// SPDX-License-Identifier: GPL-2.0-only
/* Batches of the collector: hostile numbers, and messages that the index does not take. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/index/incidents.h"
#include "collector/upkeep.h"
#include "collector_fixture.h"
#include "message/stream/batch.h"
#include "message/stream/stream.h"
#include "unsynced.h"

#define BOOT		"0123456789abcdef0123456789abcdef"
#define NEXT_BOOT	"0123456789abcdef0123456789abcdee"
#define SOURCE		"main.0.1.1"
#define MESSAGES_MAX	64
#define TWO_63		(UINT64_MAX / 2 + 1)


/* The transport: messages that wait, and what became of them */
static struct {
	char host[HOST_NAME_SIZE];
	struct buf bytes;
	bool done;
} queue[MESSAGES_MAX];
static unsigned int queued, received, acknowledged;

static int receive(struct transport *t, struct parcel *p, int timeout_ms)
{
	(void)t;
	(void)timeout_ms;
	if (received == queued)
		return 0;
	p->data = queue[received].bytes.data;
	p->size = queue[received].bytes.size;
	memcpy(p->host, queue[received].host, sizeof(p->host));
	p->handle = &queue[received++];
	return 1;
}

static int acknowledge(struct transport *t, struct parcel *p, bool done)
{
	(void)t;
	(void)p;
	acknowledged += done;
	return 0;
}

/* Numbers of lines about streams in the answers to two hosts */
static struct {
	const char *host;
	unsigned int streams;
} told[] = { { "evil", 0 }, { "good", 0 } };

static unsigned int asked;	/* messages that ask for the parts of an incident */

static void count_answer(const struct parcel *p)
{
	char name[32], value[SOURCE_NAME_SIZE];
	struct buf space = { 0 };
	struct message m;
	struct text t;

	assert_null(message_decode(&m, &space, p->data, p->size));
	asked += m.kind == MESSAGE_MISSING;
	t = (struct text){ m.data, (const char *)m.data + m.size };
	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
			if (!strcmp(told[i].host, p->host) && !strcmp(name, "stream"))
				told[i].streams++;
	buf_free(&space);
}

static int publish(struct transport *t, const struct parcel *parcels, unsigned int nr)
{
	(void)t;
	for (unsigned int i = 0; i < nr; i++)
		count_answer(&parcels[i]);
	return 0;
}

static const struct transport_ops ops = {
	.receive = receive, .acknowledge = acknowledge, .publish = publish,
};

static const char *boot;	/* that messages come from */
/* A part of the path of files that cannot be written to the disk; NULL: all can be */
static const char *unwritten;
static unsigned int written_before;	/* so many times it still works */

/* The disk does not take the files. The database is another matter. */
int fdatasync(int fd)
{
	char path[256];
	bool fails;

	path_of(fd, path);
	fails = unwritten && strstr(path, unwritten) && !strstr(path, INDEX_FILE);
	if (fails && !written_before) {
		errno = EIO;
		return -1;
	}
	written_before -= fails;
	return syscall(SYS_fdatasync, fd);
}

static int64_t boot_base;
static int64_t clock_behind;	/* seconds by which CLOCK_REALTIME is wrong */

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int ret = syscall(SYS_clock_gettime, clock, t);

	if (clock == CLOCK_REALTIME)
		t->tv_sec -= clock_behind;
	/* The boot was an hour before the test. */
	if (clock == CLOCK_BOOTTIME) {
		if (!boot_base)
			boot_base = t->tv_sec - 3600;
		t->tv_sec -= boot_base;
	}
	return ret;
}

static int begin(void **state)
{
	(void)state;
	unwritten = NULL;
	written_before = 0;
	unsynced = NULL;
	boot = BOOT;
	clock_behind = 0;
	asked = 0;
	options.keep_days = options.keep_size_kb = 0;
	options.max_stream_kb = 8192;
	if (!begin_collector("fleet-batch"))
		return -1;
	collector.transport.ops = &ops;
	return 0;
}

static int end(void **state)
{
	(void)state;
	return end_collector();
}

static void put(const char *host, struct message *m)
{
	assert_true(queued < MESSAGES_MAX);
	snprintf(m->host, sizeof(m->host), "%s", host);
	strcpy(m->boot, boot);
	memcpy(queue[queued].host, m->host, sizeof(m->host));
	assert_int_equal(message_encode(&queue[queued].bytes, m), 0);
	queued++;
}

/* Put a message SUBBUFS with one event. */
static void put_subbufs(const char *host, uint64_t seq, const struct batch_head *given,
			uint64_t lost)
{
	static const uint32_t event[] = { 1, 0x12345678 };	/* 4 bytes of data, no time */
	struct message m = { .kind = MESSAGE_SUBBUFS, .seq = seq, .lost = lost };
	struct batch_head head = *given;
	struct buf payload = { 0 };

	head.events = 1;
	strcpy(m.source, SOURCE);
	batch_begin(&payload);
	batch_add(&payload, batch_subbuf(&payload, 1, 1000), event, sizeof(event));
	batch_end(&payload, &head);
	m.data = payload.data;
	m.size = payload.size;
	put(host, &m);
	buf_free(&payload);
}

static void put_text(const char *host, enum message_kind kind, const char *source, uint64_t seq,
		     uint64_t lost, const char *text)
{
	struct message m = {
		.kind = kind, .seq = seq, .lost = lost, .data = text, .size = strlen(text),
	};

	strcpy(m.source, source);
	put(host, &m);
}

/* Collect all that waits. All of it must be acknowledged. */
static void collect(void)
{
	unsigned int nr = queued;

	received = acknowledged = 0;
	while (received < queued)
		if (!batch_run(&collector, 0))
			break;
	assert_string_equal(collector.present_error, "");
	assert_int_equal(acknowledged, nr);
	while (queued)
		buf_free(&queue[--queued].bytes);
	for (unsigned int i = 0; i < nr; i++)
		queue[i].bytes = (struct buf){ 0 };
}

static int64_t number(const char *sql)
{
	int64_t n = index_number(&collector.index, -1, sql, "");

	assert_int_equal(collector.index.code, 0);
	return n;
}

static const uint64_t hostile[] = {
	INT64_MAX - 2, INT64_MAX - 1, INT64_MAX, TWO_63, TWO_63 + 1, UINT64_MAX - 1, UINT64_MAX,
};

#define NR_HOSTILE	(sizeof(hostile) / sizeof(*hostile))

/* Each number that a message of a stream has, one after the other and two at a time. */
static void test_hostile_numbers(void **state)
{
	static const size_t fields[] = {
		offsetof(struct batch_head, before.events), offsetof(struct batch_head, before.lost),
		offsetof(struct batch_head, before.unknown), offsetof(struct batch_head, number),
		offsetof(struct batch_head, begin), offsetof(struct batch_head, end),
	};
	const struct batch_head good = { .end = 1000 };

	(void)state;
	for (size_t i = 0; i < NR_HOSTILE; i++) {
		for (size_t f = 0; f <= sizeof(fields) / sizeof(*fields); f++) {
			struct batch_head head = good;
			char host[HOST_NAME_SIZE];
			uint64_t lost = 0;

			snprintf(host, sizeof(host), "evil-%zu-%zu", i, f);
			if (f < sizeof(fields) / sizeof(*fields))
				memcpy((char *)&head + fields[f], &hostile[i], sizeof(uint64_t));
			else
				lost = hostile[i];
			/* In order, ahead of others, and once more for the sums */
			put_subbufs(host, 0, &head, lost);
			put_subbufs(host, 5, &head, lost);
			put_subbufs(host, 1, &head, lost);
			put_subbufs(host, hostile[i], &head, lost);
			put_text(host, MESSAGE_CLOCK, "main.head.1.1", 0, lost, "real = 5\nring = 5\n");
			put_subbufs("good", i * 10 + f, &good, 0);
			collect();
		}
	}
	assert_int_equal(number("SELECT count(*) FROM stream_file WHERE size > 0"
				" AND host = (SELECT id FROM host WHERE name = 'good')"), 1);
	assert_true(number("SELECT sum(number) FROM refused WHERE cause = 'invalid message of a stream'") > 0);
	assert_int_equal(number("SELECT count(*) FROM refused WHERE cause = 'cannot be stored'"), 0);
	assert_int_equal(number("SELECT count(*) FROM stream_source WHERE events < 0 OR lost < 0"
				" OR unknown < 0 OR gaps < 0 OR next < 0 OR number < 0"), 0);
}

/* Sums of valid numbers end at the largest one. */
static void test_sums_end(void **state)
{
	struct batch_head head = { .end = 1000 };

	(void)state;
	for (uint64_t seq = 0; seq < 4; seq++) {
		head.before.lost = seq;
		put_subbufs("web-1", seq, &head, INT64_MAX - 3);
	}
	collect();
	assert_true(number("SELECT lost FROM stream_source") == INT64_MAX);
	put_text("web-1", MESSAGE_GAP, SOURCE, INT64_MAX - 1, 0,
		 "events-before = 9223372036854775807\nlost-before = 9223372036854775807\n"
		 "unknown-before = 9223372036854775807\nnumber = 9223372036854775807\n");
	put_subbufs("web-1", 9, &head, 1);
	collect();
	assert_true(number("SELECT next FROM stream_source") == INT64_MAX);
}

/* A message that the index does not take is put aside, and those beside it are stored. */
static void test_put_aside(void **state)
{
	const struct batch_head head = { .end = 1000, .number = 13 }, other = { .end = 1000 };
	char path[128];

	(void)state;
	assert_int_equal(sqlite3_exec(collector.index.db,
		"CREATE TRIGGER t BEFORE UPDATE ON stream_source WHEN new.number = 14"
		" BEGIN SELECT raise(ABORT, 'no fourteen'); END", NULL, NULL, NULL), 0);
	put_subbufs("web-1", 0, &other, 0);
	put_subbufs("web-2", 0, &head, 0);
	put_subbufs("web-3", 0, &other, 0);
	put_subbufs("web-2", 0, &head, 7);
	collect();
	assert_int_equal(number("SELECT sum(number) FROM refused JOIN host ON host.id = host"
				" WHERE cause = 'cannot be stored' AND name = 'web-2'"), 2);
	assert_int_equal(number("SELECT sum(events) FROM stream_source"), 2);
	assert_int_equal(number("SELECT count(*) FROM stream_file"), 2);
	assert_int_equal(collector.refused, 2);
	snprintf(path, sizeof(path), "%s/aside/web-2.message", folder);
	assert_int_equal(access(path, R_OK), 0);
	/* The files have what the index says, and nothing of the other hosts. */
	assert_int_equal(collector.stored_bytes, number("SELECT sum(size) FROM stream_file") - 8);
	for (int i = 1; i <= 3; i++) {
		snprintf(path, sizeof(path), "%s/streams/web-%d/" BOOT "/main/1", folder, i);
		assert_int_equal(access(path, R_OK), 0);
	}
}

static void drop_queue(void)
{
	while (queued) {
		buf_free(&queue[--queued].bytes);
		queue[queued].bytes = (struct buf){ 0 };
	}
}

/* Messages before one that is put aside are on the disk, or the batch comes again. */
static void test_sync_before_aside(void **state)
{
	const struct batch_head head = { .end = 1000, .number = 13 };

	(void)state;
	assert_int_equal(sqlite3_exec(collector.index.db,
		"CREATE TRIGGER t BEFORE UPDATE ON stream_source WHEN new.number = 14"
		" BEGIN SELECT raise(ABORT, 'no fourteen'); END", NULL, NULL, NULL), 0);
	put_text("web-1", MESSAGE_PART, "inc-1", 0, 0, "bytes");
	put_subbufs("web-2", 0, &head, 0);
	/* The batch is tried as a whole before its messages are tried one by one. */
	unwritten = "/incoming/";
	written_before = 1;
	received = acknowledged = 0;
	assert_int_equal(batch_run(&collector, 0), 0);
	assert_int_equal(acknowledged, 0);
	assert_int_equal(number("SELECT count(*) FROM incoming"), 0);
	unwritten = NULL;
	collector_works(&collector);
	collect();
	assert_int_equal(number("SELECT count(*) FROM incoming"), 1);
}

/* The first message of a host stays aside, and there are not more than FILES_ASIDE_MAX. */
static void test_aside_is_limited(void **state)
{
	char path[128], text[16] = "";
	FILE *f;

	(void)state;
	assert_int_equal(files_put_aside(&collector.files, "web-1", "first", 5), 0);
	assert_int_equal(files_put_aside(&collector.files, "web-1", "later", 5), -EEXIST);
	snprintf(path, sizeof(path), "%s/aside/web-1.message", folder);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, "first");
	for (int i = 1; i < FILES_ASIDE_MAX; i++) {
		snprintf(path, sizeof(path), "db-%d", i);
		assert_int_equal(files_put_aside(&collector.files, path, "x", 1), 0);
	}
	assert_int_equal(files_put_aside(&collector.files, "db", "x", 1), -EMLINK);
}

/* The transport knows who has sent a message. */
static void test_forged(void **state)
{
	const struct batch_head head = { .end = 1000 };

	(void)state;
	put_subbufs("web-1", 0, &head, 0);
	strcpy(queue[0].host, "web-2");
	collect();
	assert_int_equal(number("SELECT count(*) FROM stream_source"), 0);
	assert_int_equal(number("SELECT number FROM refused JOIN host ON host.id = host"
				" WHERE cause = 'another host''s name' AND name = 'web-2'"), 1);
}

/* A message is stored when the name of its new file is on the disk. */
static void test_name_is_synced(void **state)
{
	static const char *const folders[] = {
		"/incoming", "/incoming/web-1", "/streams", "/streams/web-1",
		"/streams/web-1/" BOOT, "/streams/web-1/" BOOT "/main",
	};
	const struct batch_head head = { .end = 1000 };

	(void)state;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		if (i < 2)
			put_text("web-1", MESSAGE_PART, "inc-1", 0, 0, "bytes");
		else
			put_subbufs("web-1", 0, &head, 0);
		unsynced = folders[i];
		for (int times = 0; times < 2; times++) {
			received = acknowledged = 0;
			assert_int_equal(batch_run(&collector, 0), 0);
			assert_int_equal(acknowledged, 0);
		}
		collector_works(&collector);
		drop_queue();
	}
	assert_int_equal(number("SELECT count(*) FROM incoming"), 0);
	assert_int_equal(number("SELECT count(*) FROM stream_file"), 0);
}

/* A full disk is not a fault of the messages: nothing is acknowledged. */
static void test_full_disk(void **state)
{
	const struct batch_head head = { .end = 1000 };

	(void)state;
	assert_int_equal(sqlite3_exec(collector.index.db, "PRAGMA max_page_count = 1", NULL, NULL,
				      NULL), 0);
	for (int i = 0; i < MESSAGES_MAX; i++) {
		char host[HOST_NAME_SIZE];

		snprintf(host, sizeof(host), "a-host-with-a-long-name-that-needs-pages-%d", i);
		put_subbufs(host, 0, &head, 0);
	}
	received = acknowledged = 0;
	assert_int_equal(batch_run(&collector, 0), 0);
	assert_int_equal(acknowledged, 0);
	assert_string_not_equal(collector.present_error, "");
	sqlite3_exec(collector.index.db, "PRAGMA max_page_count = 100000", NULL, NULL, NULL);
	collector_works(&collector);
	collect();
	assert_int_equal(number("SELECT sum(events) FROM stream_source"), MESSAGES_MAX);
}

/* A message is stored when its file is on the disk, and not before. */
static void test_sync_fails(void **state)
{
	const struct batch_head head = { .end = 1000 };

	(void)state;
	for (int stream = 0; stream < 2; stream++) {
		unsigned int waits = queued;

		if (stream)
			put_subbufs("web-1", 0, &head, 0);
		else
			put_text("web-1", MESSAGE_PART, "inc-1", 0, 0, "bytes");
		unwritten = "/";
		received = acknowledged = 0;
		assert_int_equal(waits, 0);
		assert_int_equal(batch_run(&collector, 0), 0);
		assert_int_equal(acknowledged, 0);
		assert_string_not_equal(collector.present_error, "");
		assert_int_equal(number("SELECT count(*) FROM incoming"), stream);
		assert_int_equal(number("SELECT count(*) FROM stream_file"), 0);
		unwritten = NULL;
		collector_works(&collector);
		collect();
		assert_int_equal(number("SELECT count(*) FROM incoming"), 1);
		assert_int_equal(number("SELECT count(*) FROM stream_file"), stream);
	}
}

/* A message that comes again changes nothing, and is acknowledged. */
static void test_twice(void **state)
{
	struct batch_head head = { .end = 1000 };
	int64_t size;

	(void)state;
	put_subbufs("web-1", 0, &head, 7);
	collect();
	size = number("SELECT size FROM stream_file");
	put_subbufs("web-1", 0, &head, 7);
	put_subbufs("web-1", 2, &head, 0);
	put_subbufs("web-1", 2, &head, 0);
	collect();
	assert_int_equal(number("SELECT lost FROM stream_source"), 7);
	assert_int_equal(number("SELECT size FROM stream_file"), 2 * size);
}

/* A loss without a number adds to no number. */
static void test_unknown(void **state)
{
	const struct batch_head head = { .end = 1000 };

	(void)state;
	put_subbufs("web-1", 0, &head, MESSAGE_LOST_UNKNOWN);
	collect();
	assert_int_equal(number("SELECT unknown FROM stream_source"), 1);
	assert_int_equal(number("SELECT lost FROM stream_source"), 0);
}

/* Messages that will never come: their events and losses are lost. */
static void test_gap(void **state)
{
	struct batch_head head = { .end = 1000 };

	(void)state;
	put_subbufs("web-1", 0, &head, 2);
	put_text("web-1", MESSAGE_GAP, SOURCE, 3, 0,
		 "events-before = 11\nlost-before = 9\nunknown-before = 1\nnumber = 20\n");
	collect();
	assert_int_equal(number("SELECT events FROM stream_source"), 1);
	assert_int_equal(number("SELECT lost FROM stream_source"), 2 + 10 + 7);
	assert_int_equal(number("SELECT unknown FROM stream_source"), 1);
	assert_int_equal(number("SELECT gaps FROM stream_source"), 3);
	assert_int_equal(number("SELECT next FROM stream_source"), 4);
	/* Numbers that the index cannot have count as none. An older gap is in the newer one. */
	put_text("web-1", MESSAGE_GAP, SOURCE, 9, 0,
		 "events-before = 11\nlost-before = 18446744073709551615\nnumber = 40\n");
	put_text("web-1", MESSAGE_GAP, SOURCE, 7, 0, "events-before = 5\nlost-before = 5\n");
	collect();
	assert_int_equal(number("SELECT lost FROM stream_source"), 2 + 10 + 7);
	assert_int_equal(number("SELECT gap_last FROM stream_source"), 9);
}

static void put_head(const char *host, const char *source)
{
	struct stream_head head = {
		.page_size = 4096, .nr_cpus = 1, .clock = "local", .uname = "Linux h 6.12 x86_64",
		.version = "test", .names = "1 init\n",
	};
	struct message m = { .kind = MESSAGE_HEAD };
	struct buf payload = { 0 };

	strcpy(m.source, source);
	assert_int_equal(stream_head_encode(&payload, &head), 0);
	m.data = payload.data;
	m.size = payload.size;
	put(host, &m);
	buf_free(&payload);
}

static bool is_there(const char *path)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "%s/streams/%s", folder, path);
	return !access(whole, F_OK);
}

/* Heads count to the bytes of a host, and it cannot send more of them than its share. */
static void test_head_share(void **state)
{
	char source[SOURCE_NAME_SIZE];
	int64_t size;

	(void)state;
	options.max_stream_kb = 1;
	for (int i = 0; i < 20; i++) {
		snprintf(source, sizeof(source), "buffer-%d.head.0.1", i);
		put_head("evil", source);
	}
	put_head("good", "main.head.0.1");
	collect();
	size = number("SELECT sum(size) FROM stream_head JOIN host ON host.id = host"
		      " WHERE name = 'evil'");
	assert_true(size > 512 && size <= 1024);
	assert_true(number("SELECT number FROM refused WHERE cause = 'more than the host''s share'") > 1);
	assert_true(is_there("good/" BOOT "/main/head.1"));
	assert_int_equal(collector.stored_bytes, number("SELECT sum(size) FROM stream_head"));
	/* A buffer keeps the heads of the last runs. */
	options.max_stream_kb = 8192;
	for (int i = 2; i < 12; i++) {
		snprintf(source, sizeof(source), "main.head.0.%d", i);
		put_head("good", source);
	}
	collect();
	assert_int_equal(number("SELECT count(*) FROM stream_head WHERE buffer = 'main'"), 8);
	assert_int_equal(number("SELECT min(incarnation) FROM stream_head WHERE buffer = 'main'"), 4);
	assert_false(is_there("good/" BOOT "/main/head.3"));
	assert_true(is_there("good/" BOOT "/main/head.4"));
	assert_int_equal(collector.stored_bytes, number("SELECT sum(size) FROM stream_head"));
	retention_begin(&collector);
	assert_int_equal(collector.stored_bytes, number("SELECT sum(size) FROM stream_head"));
}

/* Heads go with the last file of their buffer. The present boot can need them yet. */
static void test_head_removed(void **state)
{
	const struct batch_head head = { .end = 1000 };

	(void)state;
	put_head("web-1", "main.head.0.1");
	put_subbufs("web-1", 0, &head, 0);
	boot = NEXT_BOOT;
	put_head("web-1", "main.head.0.2");
	put_subbufs("web-1", 1, &head, 0);
	collect();
	assert_true(is_there("web-1/" BOOT "/main/head.1"));
	/* Files and heads are more than the share, files alone are not. */
	index_run(&collector.index, "UPDATE stream_file SET size = 512 - 1, changed = id", "");
	index_run(&collector.index, "UPDATE stream_head SET size = 2", "");
	retention_begin(&collector);
	options.max_stream_kb = 1;
	retention_apply(&collector);
	assert_int_equal(number("SELECT count(*) FROM stream_file"), 1);
	assert_int_equal(number("SELECT count(*) FROM stream_head WHERE boot = '" NEXT_BOOT "'"), 1);
	assert_int_equal(number("SELECT count(*) FROM stream_head"), 1);
	assert_false(is_there("web-1/" BOOT));
	assert_int_equal(collector.stored_bytes, 512 - 1 + 2);
	options.max_stream_kb = 0;
	retention_apply(&collector);
	assert_int_equal(number("SELECT count(*) FROM stream_file"), 0);
	assert_true(is_there("web-1/" NEXT_BOOT "/main/head.2"));
	assert_int_equal(collector.stored_bytes, 2);
}

/* Heads without files go when their boot is over, or when the host is gone. */
static void test_head_old(void **state)
{
	(void)state;
	put_head("web-1", "main.head.0.1");
	put_head("web-2", "main.head.0.1");
	boot = NEXT_BOOT;
	put_head("web-1", "main.head.0.2");
	collect();
	upkeep_remove_old(&collector);
	assert_int_equal(number("SELECT count(*) FROM stream_head"), 3);
	index_run(&collector.index, "UPDATE stream_head SET changed = 1", "");
	upkeep_remove_old(&collector);
	assert_int_equal(number("SELECT count(*) FROM stream_head"), 2);
	assert_false(is_there("web-1/" BOOT));
	assert_true(is_there("web-1/" NEXT_BOOT "/main/head.2"));
	index_run(&collector.index, "UPDATE host SET last_seen = 1 WHERE name = 'web-2'", "");
	upkeep_remove_old(&collector);
	assert_false(is_there("web-2"));
	assert_int_equal(number("SELECT count(*) FROM host"), 1);
	assert_int_equal(collector.stored_bytes, number("SELECT sum(size) FROM stream_head"));
	assert_int_equal(number("SELECT count(*) FROM stream_source WHERE host = 2"), 0);
}

#define RUNS	"WITH RECURSIVE run (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM run WHERE n < ?3)"
#define CPUS	" cpu (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM cpu WHERE n < 99)"
#define OF_CPU	" FROM stream_source WHERE boot = '" BOOT "' AND buffer = 'main' AND cpu = 7"

/* Add the sources of @runs runs of an agent on 100 CPUs. */
static void add_sources(const char *of_boot, const char *buffer, int64_t runs)
{
	index_run(&collector.index, RUNS "," CPUS
		  "INSERT INTO stream_source (host, source, boot, buffer, cpu, generation, next,"
		  " events, lost, unknown, gaps, number, changed)"
		  " SELECT 1, ?2 || '.' || cpu.n || '.1.' || run.n, ?1, ?2, cpu.n, 1, 9, 100, 20, 3,"
		  " 4, 100 * run.n, 1 FROM run JOIN cpu", "ssi", of_boot, buffer, runs);
	assert_int_equal(collector.index.code, 0);
}

/* Agents that begin again and again have many sources. Their sums stay. */
static void test_many_runs(void **state)
{
	const struct batch_head head = { .end = 1000 };

	(void)state;
	put_subbufs("web-1", 0, &head, 0);
	collect();
	index_run(&collector.index, "DELETE FROM stream_source", "");
	add_sources(BOOT, "main", 163);
	index_run(&collector.index, "INSERT INTO stream_ahead SELECT id, 12, 1, 0, 0, 0, 0, 0" OF_CPU
		  " AND source LIKE '%.2'", "");
	index_run(&collector.index, "UPDATE stream_source SET events = 9223372036854775807"
		  " WHERE cpu = 8 AND source LIKE '%.1'", "");
	upkeep_sources(&collector);
	assert_true(number("SELECT count(*) FROM stream_source") < 16384 * 3 / 4);
	assert_int_equal(number("SELECT sum(events)" OF_CPU), 163 * 100);
	assert_int_equal(number("SELECT sum(lost)" OF_CPU), 163 * 20);
	assert_int_equal(number("SELECT sum(unknown)" OF_CPU), 163 * 3);
	assert_int_equal(number("SELECT sum(gaps)" OF_CPU), 163 * 4);
	assert_int_equal(number("SELECT max(number)" OF_CPU), 16300);
	assert_int_equal(number("SELECT count(*)" OF_CPU " AND source LIKE 'sum %'"), 1);
	/* One that has a message ahead stays, and so do the newest ones. */
	assert_int_equal(number("SELECT count(*)" OF_CPU " AND source = 'main.7.1.2'"), 1);
	assert_int_equal(number("SELECT count(*)" OF_CPU " AND source = 'main.7.1.163'"), 1);
	assert_true(number("SELECT max(events) FROM stream_source WHERE cpu = 8") == INT64_MAX);
	/* Again, with sums that are there already; and a run that is not long over stays. */
	add_sources(BOOT, "other", 50);
	index_run(&collector.index, "UPDATE stream_source SET changed = ?1 WHERE cpu = 9", "i",
		  collector_time());
	upkeep_sources(&collector);
	assert_int_equal(number("SELECT sum(lost)" OF_CPU), 163 * 20);
	assert_int_equal(number("SELECT sum(lost) FROM stream_source WHERE buffer = 'main'"),
			 100 * 163 * 20);
	put_subbufs("web-1", 0, &head, 0);
	collect();
	assert_int_equal(number("SELECT count(*) FROM refused"), 0);
}

/* Sources of boots that are over go if they have no file; then the oldest files go. */
static void test_many_boots(void **state)
{
	static const char *const boots[] = {
		"00000000000000000000000000000001", "00000000000000000000000000000002",
		"00000000000000000000000000000003",
	};
	const struct batch_head head = { .end = 1000 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		boot = boots[i];
		put_subbufs("web-1", i, &head, 0);
	}
	boot = NEXT_BOOT;
	put_subbufs("web-1", 3, &head, 0);
	collect();
	index_run(&collector.index, "DELETE FROM stream_source", "");
	/* A run each on 100 CPUs: there is nothing to fold. */
	for (int i = 0; i < 3; i++)
		index_run(&collector.index, "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1"
			  " FROM c WHERE n < 5000) INSERT INTO stream_source (host, source, boot, buffer,"
			  " cpu, generation, changed) SELECT 1, ?1 || n, ?1, 'main', n, 1, 1 FROM c", "s",
			  boots[i]);
	index_run(&collector.index, "DELETE FROM stream_file WHERE boot = ?1", "s", boots[1]);
	upkeep_sources(&collector);
	assert_int_equal(number("SELECT count(*) FROM stream_source"), 10000);
	assert_int_equal(number("SELECT count(*) FROM stream_file"), 3);
	index_run(&collector.index, "INSERT INTO stream_source (host, source, boot, buffer, cpu,"
		  " generation, changed) SELECT 1, 'x' || source, ?1, 'main', cpu, 1, 1"
		  " FROM stream_source WHERE boot = ?2", "ss", NEXT_BOOT, boots[0]);
	index_run(&collector.index, "UPDATE stream_file SET changed = id", "");
	upkeep_sources(&collector);
	assert_int_equal(number("SELECT count(*) FROM stream_source"), 10000);
	assert_int_equal(number("SELECT count(*) FROM stream_file"), 2);
	assert_int_equal(number("SELECT count(*) FROM stream_source WHERE boot ="
				" '00000000000000000000000000000001'"), 0);
}

/* The index is older than the host's spool: what the host has no more is lost, and counted. */
static void test_first(void **state)
{
	struct batch_head head = { .end = 1000, .before = { 50, 7, 2 }, .number = 60 };

	(void)state;
	put_subbufs("web-1", 5, &head, 1);
	collect();
	assert_int_equal(number("SELECT next FROM stream_source"), 0);
	/* Messages 4 and 3 can come yet; a line that is not valid says nothing. */
	put_text("web-1", MESSAGE_HELLO, "", 1, 0, "stream-first = " SOURCE " 4\n"
		 "stream-first = " SOURCE "\nstream-first = " SOURCE " x\nstream-first = a.0.1.1 9\n");
	collect();
	assert_int_equal(number("SELECT next FROM stream_source"), 0);
	head.before = (struct stream_totals){ 52, 9, 2 };
	put_subbufs("web-1", 7, &head, 0);
	put_text("web-1", MESSAGE_HELLO, "", 2, 0,
		 "stream = " SOURCE "\nstream-first = " SOURCE " 5\n");
	collect();
	assert_int_equal(number("SELECT next FROM stream_source"), 6);
	assert_int_equal(number("SELECT lost FROM stream_source"), 50 + 7 + 1);
	assert_int_equal(number("SELECT unknown FROM stream_source"), 2);
	assert_int_equal(number("SELECT gaps FROM stream_source"), 5);
	assert_int_equal(number("SELECT count(*) FROM stream_ahead"), 1);
	put_subbufs("web-1", 6, &head, 0);
	put_text("web-1", MESSAGE_HELLO, "", 3, 0, "stream-first = " SOURCE " 2\n");
	collect();
	assert_int_equal(number("SELECT next FROM stream_source"), 8);
	assert_int_equal(number("SELECT events FROM stream_source"), 3);
	assert_int_equal(number("SELECT count(*) FROM stream_source"), 1);
}

static void add_stored(const char *name, int64_t time)
{
	struct index_incident incident;

	assert_true(index_incident_get(&collector.index, 1, name, INCIDENT_STORED, time, &incident));
}

/* Files that were stored while the clock was wrong are not old when it is set. */
static void test_clock_is_set(void **state)
{
	const struct batch_head head = { .end = 1000 };

	(void)state;
	options.keep_days = 30;
	clock_behind = 3000 * 24 * 3600;
	put_subbufs("web-1", 0, &head, 0);
	collect();
	add_stored("new", collector_time());
	add_stored("before-the-boot", collector_time() - 29 * 24 * 3600 * NS_PER_SEC);
	retention_apply(&collector);
	assert_int_equal(number("SELECT count(*) FROM incident WHERE state = 'stored'"), 2);
	index_run(&collector.index, "UPDATE stream_file SET changed = changed + 1000", "");
	clock_behind = 0;
	retention_apply(&collector);
	retention_apply(&collector);
	assert_int_equal(number("SELECT count(*) FROM incident WHERE state = 'stored' AND name = 'new'"),
			 1);
	assert_int_equal(number("SELECT count(*) FROM incident WHERE state = 'stored'"), 1);
	assert_int_equal(number("SELECT count(*) FROM stream_file"), 1);
	assert_true(collector_time() - number("SELECT changed FROM stream_file") < 60 * NS_PER_SEC);
}

/* The same if the clock was ahead: they must not stay for years. */
static void test_clock_is_set_back(void **state)
{
	const struct batch_head head = { .end = 1000 };
	int64_t changed;

	(void)state;
	options.keep_days = 30;
	clock_behind = -3000 * 24 * 3600;
	put_subbufs("web-1", 0, &head, 0);
	collect();
	add_stored("new", collector_time());
	retention_apply(&collector);
	clock_behind = 0;
	retention_apply(&collector);
	changed = number("SELECT max(changed) FROM incident");
	assert_true(llabs(collector_time() - changed) < 60 * NS_PER_SEC);
	changed = number("SELECT changed FROM stream_file");
	assert_true(llabs(collector_time() - changed) < 60 * NS_PER_SEC);
}

/* The index has the time of a file's first and last events. Its CPUs send in any order. */
static void test_span(void **state)
{
	const struct batch_head head[] = {
		{ .begin = 500, .end = 1000 }, { .begin = 300, .end = 900 },
		{ .begin = 700, .end = 1200 }, { .begin = 600, .end = 800 },
	};

	(void)state;
	for (int i = 0; i < 4; i++)
		put_subbufs("web-1", i, &head[i], 0);
	collect();
	assert_int_equal(number("SELECT count(*) FROM stream_file"), 1);
	assert_int_equal(number("SELECT begin FROM stream_file"), 300);
	assert_int_equal(number("SELECT end FROM stream_file"), 1200);
}

/* If as many messages wait as can, the one that they wait for is taken nevertheless. */
static void test_ahead_is_full(void **state)
{
	struct batch_head head = { .end = 1000, .before = { .events = 1 }, .number = 1 };

	(void)state;
	put_subbufs("web-1", 1, &head, 0);
	collect();
	index_run(&collector.index, "WITH RECURSIVE run (n) AS (SELECT 2 UNION ALL"
		  " SELECT n + 1 FROM run WHERE n < ?1)"
		  " INSERT INTO stream_ahead SELECT stream_source.id, n, 1, 0, n, 0, 0, n + 1"
		  " FROM stream_source JOIN run", "i", (int64_t)INDEX_AHEAD_MAX);
	assert_int_equal(number("SELECT count(*) FROM stream_ahead"), INDEX_AHEAD_MAX);
	head.before.events = head.number = INDEX_AHEAD_MAX + 1;
	put_subbufs("web-1", INDEX_AHEAD_MAX + 1, &head, 0);
	collect();
	assert_int_equal(number("SELECT count(*) FROM stream_ahead"), INDEX_AHEAD_MAX);
	head = (struct batch_head){ .end = 1000 };
	put_subbufs("web-1", 0, &head, 0);
	collect();
	assert_int_equal(number("SELECT next FROM stream_source"), INDEX_AHEAD_MAX + 1);
	assert_int_equal(number("SELECT events FROM stream_source"), INDEX_AHEAD_MAX + 1);
	assert_int_equal(number("SELECT count(*) FROM stream_ahead"), 0);
}

/* The index does not know the bytes that a killed collector has written to a new file. */
static void test_unknown_bytes(void **state)
{
	const struct batch_head head = { .end = 1000 };
	char path[256];
	FILE *f;

	(void)state;
	put_subbufs("web-1", 0, &head, 0);
	collect();
	index_run(&collector.index, "DELETE FROM stream_file", "");
	snprintf(path, sizeof(path), "%s/streams/web-1/" BOOT "/main/1", folder);
	f = fopen(path, "a");
	assert_non_null(f);
	fputs("more bytes", f);
	fclose(f);
	put_subbufs("web-1", 1, &head, 0);
	collect();
	f = fopen(path, "r");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	assert_int_equal(ftell(f), number("SELECT size FROM stream_file"));
	fclose(f);
}

/* A HELLO with all lines that fit: the host gets its share of the answers, others get theirs. */
static void test_many_streams(void **state)
{
	const struct batch_head head = { .end = 1000 };
	struct buf text = { 0 };

	(void)state;
	told[0].streams = told[1].streams = 0;
	for (int hello = 0; hello < 3; hello++) {
		text.size = 0;
		for (int i = 0; text.size + 32 < MESSAGE_PAYLOAD_MAX; i++)
			buf_printf(&text, "stream=a.%d.%d.1\n", hello, i);
		buf_add(&text, "", 1);
		assert_false(text.failed);
		put_text("evil", MESSAGE_HELLO, "", hello, 0, text.data);
	}
	put_text("good", MESSAGE_HELLO, "", 0, 0, "stream = b.0.1.1\nstream = b.1.1.1\n");
	put_subbufs("good", 0, &head, 0);
	put_subbufs("good", 1, &head, 0);
	collect();
	assert_in_range(told[0].streams, 256, 512);
	assert_int_equal(told[1].streams, 3);
	/* The next batch has answers of its own. */
	put_subbufs("good", 2, &head, 0);
	collect();
	assert_int_equal(told[1].streams, 4);
	buf_free(&text);
}

/* A message that is put aside takes its answer with it, and no other one. */
static void test_answers_of_aside(void **state)
{
	const struct batch_head head = { .end = 1000, .number = 13 }, other = { .end = 1000 };

	(void)state;
	told[0].streams = told[1].streams = 0;
	assert_int_equal(sqlite3_exec(collector.index.db,
		"CREATE TRIGGER t BEFORE UPDATE ON host WHEN new.version = 'no'"
		" BEGIN SELECT raise(ABORT, 'no'); END", NULL, NULL, NULL), 0);
	put_subbufs("good", 0, &other, 0);
	put_text("evil", MESSAGE_HELLO, "", 0, 0, "stream = a.0.1.1\nversion = no\nstream = a.1.1.1\n");
	put_text("good", MESSAGE_HELLO, "", 0, 0, "stream = b.0.1.1\n");
	put_subbufs("evil", 0, &head, 0);
	put_subbufs("good", 1, &other, 0);
	collect();
	assert_int_equal(told[0].streams, 1);
	assert_int_equal(told[1].streams, 2);
}

/* The oldest files go until the others are no larger than the limit. */
static void test_keep_size(void **state)
{
	const struct batch_head head = { .end = 1000 };

	(void)state;
	put_subbufs("web-1", 0, &head, 0);
	put_subbufs("web-2", 0, &head, 0);
	put_subbufs("web-3", 0, &head, 0);
	collect();
	index_run(&collector.index, "UPDATE stream_file SET size = 512, changed = id", "");
	retention_begin(&collector);
	assert_int_equal(collector.stored_bytes, 3 * 512);
	options.keep_size_kb = 1;
	retention_apply(&collector);
	assert_int_equal(collector.stored_bytes, 1024);
	assert_int_equal(number("SELECT min(changed) FROM stream_file"), 2);
	assert_int_equal(number("SELECT count(*) FROM stream_file"), 2);
}

/* A file that cannot be removed stays in the index, and counts. */
static void test_file_stays(void **state)
{
	const struct batch_head head = { .end = 1000 };
	char path[256];
	uint64_t bytes;

	(void)state;
	put_subbufs("web-1", 0, &head, 0);
	collect();
	snprintf(path, sizeof(path), "%s/streams/web-1/" BOOT "/main/1", folder);
	assert_true(!unlink(path) && !mkdir(path, 0700));
	bytes = collector.stored_bytes;
	options.max_stream_kb = 0;
	retention_apply(&collector);
	assert_string_not_equal(collector.present_error, "");
	assert_int_equal(number("SELECT count(*) FROM stream_file"), 1);
	assert_int_equal(collector.stored_bytes, bytes);
	collector_works(&collector);
}

static bool has_part(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/incoming/web-1/%s.part", folder, name);
	return !access(path, F_OK);
}

/* Parts that do not become a file go after a while; at the start those that nobody knows go. */
static void test_parts_go(void **state)
{
	(void)state;
	put_text("web-1", MESSAGE_PART, "inc-1", 0, 0, "bytes");
	put_text("web-1", MESSAGE_PART, "inc-2", 0, 0, "bytes");
	collect();
	index_run(&collector.index, "DELETE FROM incoming WHERE incident ="
		  " (SELECT id FROM incident WHERE name = 'inc-2')", "");
	leftovers_remove(&collector);
	assert_true(has_part("inc-1"));
	assert_false(has_part("inc-2"));
	upkeep_remove_old(&collector);
	assert_true(has_part("inc-1"));
	index_run(&collector.index, "UPDATE incoming SET changed = 1", "");
	upkeep_remove_old(&collector);
	assert_false(has_part("inc-1"));
	assert_int_equal(number("SELECT count(*) FROM incoming"), 0);
	/* Nothing more is known of it. */
	assert_int_equal(number("SELECT count(*) FROM incident WHERE name = 'inc-1'"), 0);
}

/* A host is asked for missing parts five times, and by as many messages as go out at once. */
static void test_parts_are_asked_for(void **state)
{
	char host[32], name[32];

	(void)state;
	/* No host may have more than eight that are not complete. */
	for (unsigned int i = 0; i < REPLIES_MAX + 10; i++) {
		snprintf(host, sizeof(host), "web-%u", i / 8);
		snprintf(name, sizeof(name), "inc-%u", i % 8);
		put_text(host, MESSAGE_PART, name, 1, 0, "bytes");
		if (i % 8 == 7)
			collect();
	}
	collect();
	upkeep_ask(&collector);
	assert_int_equal(asked, 0);
	for (int round = 1; round <= 7; round++) {
		clock_behind -= 3600;
		asked = 0;
		upkeep_ask(&collector);
		assert_int_equal(asked, round <= 5 ? REPLIES_MAX : 0);
		asked = 0;
		upkeep_ask(&collector);
		assert_int_equal(asked, round <= 5 ? 10 : 0);
	}
}

static void test_totals(void **state)
{
	const struct batch_head head = {
		.before = { .events = 10, .lost = 20, .unknown = 30 }, .events = 4,
	};
	struct stream_totals t = batch_totals(&head, 5);

	(void)state;
	assert_true(t.events == 14 && t.lost == 25 && t.unknown == 30);
	t = batch_totals(&head, MESSAGE_LOST_UNKNOWN);
	assert_true(t.events == 14 && t.lost == 20 && t.unknown == 31);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hostile_numbers, begin, end),
		cmocka_unit_test_setup_teardown(test_sums_end, begin, end),
		cmocka_unit_test_setup_teardown(test_put_aside, begin, end),
		cmocka_unit_test_setup_teardown(test_sync_before_aside, begin, end),
		cmocka_unit_test_setup_teardown(test_aside_is_limited, begin, end),
		cmocka_unit_test_setup_teardown(test_forged, begin, end),
		cmocka_unit_test_setup_teardown(test_full_disk, begin, end),
		cmocka_unit_test_setup_teardown(test_sync_fails, begin, end),
		cmocka_unit_test_setup_teardown(test_name_is_synced, begin, end),
		cmocka_unit_test_setup_teardown(test_twice, begin, end),
		cmocka_unit_test_setup_teardown(test_unknown, begin, end),
		cmocka_unit_test_setup_teardown(test_gap, begin, end),
		cmocka_unit_test_setup_teardown(test_head_share, begin, end),
		cmocka_unit_test_setup_teardown(test_head_removed, begin, end),
		cmocka_unit_test_setup_teardown(test_head_old, begin, end),
		cmocka_unit_test_setup_teardown(test_many_runs, begin, end),
		cmocka_unit_test_setup_teardown(test_many_boots, begin, end),
		cmocka_unit_test_setup_teardown(test_first, begin, end),
		cmocka_unit_test_setup_teardown(test_clock_is_set, begin, end),
		cmocka_unit_test_setup_teardown(test_clock_is_set_back, begin, end),
		cmocka_unit_test_setup_teardown(test_span, begin, end),
		cmocka_unit_test_setup_teardown(test_ahead_is_full, begin, end),
		cmocka_unit_test_setup_teardown(test_unknown_bytes, begin, end),
		cmocka_unit_test_setup_teardown(test_many_streams, begin, end),
		cmocka_unit_test_setup_teardown(test_answers_of_aside, begin, end),
		cmocka_unit_test_setup_teardown(test_file_stays, begin, end),
		cmocka_unit_test_setup_teardown(test_parts_go, begin, end),
		cmocka_unit_test_setup_teardown(test_parts_are_asked_for, begin, end),
		cmocka_unit_test_setup_teardown(test_keep_size, begin, end),
		cmocka_unit_test(test_totals),
	};

	return cmocka_run_group_tests_name("fleet_batch", tests, NULL, NULL);
}
