// SPDX-License-Identifier: GPL-2.0-only
/* Batches of a stream, with a spool that can be full: came + lost = written, or unknown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <rbmap.h>
#include <linux/rbmap.h>

#include "agent/stream/stream.h"
#include "message/message.h"

#define EVENTS_MAX	8

static struct stream_record last;
static unsigned int appended;
static int fails;
static char clock_text[512];	/* the payload of the last CLOCK */
static const struct stream_position *sent;	/* by an earlier run */

/* The spool */
int stream_spool_append(struct stream_spool *s, struct stream_record *r, const void *message,
			size_t size)
{
	struct buf space = { 0 };
	struct message m;

	(void)s;
	assert_null(message_decode(&m, &space, message, size));
	assert_int_equal(m.seq, r->seq);
	assert_true(m.lost == r->lost);
	assert_string_equal(m.source, r->source);
	if (m.kind == MESSAGE_CLOCK)
		snprintf(clock_text, sizeof(clock_text), "%.*s", (int)m.size, (const char *)m.data);
	buf_free(&space);
	if (fails)
		return -fails;
	last = *r;
	appended++;
	return 0;
}

const struct stream_position *stream_spool_position(const struct stream_spool *s,
						    const char *buffer, int cpu)
{
	(void)s;
	(void)buffer;
	(void)cpu;
	return sent;
}

static void prepare(void *data)
{
	(void)data;
}

static void event(void *data, const struct rbmap_event *ev)
{
	(void)data;
	assert_int_equal(ev->size, 4);
}

static const struct batch_target target = {
	.host = "web-1", .boot = "0123456789abcdef0123456789abcdef", .prepare = prepare,
	.event = event,
};
static struct batching batching;
static uint64_t number;		/* the next event of the ring */
static uint32_t generation;

static int begin(void **state)
{
	(void)state;
	appended = fails = number = 0;
	generation = 1;
	sent = NULL;
	batching_begin(&batching, &target, "main", 3, 7);
	return 0;
}

static int end(void **state)
{
	(void)state;
	batching_free(&batching);
	return 0;
}

/* Add a sub-buffer with events, and a loss before it. */
static void add(unsigned int events, uint64_t lost)
{
	struct {
		struct rbmap_subbuf_header header;
		uint32_t event[EVENTS_MAX][2];
	} s = { .header = { .time_stamp = 1000, .commit = events * 8 } };
	struct rbmap_subbuf sb = {
		.start = &s, .size = events * 8, .timestamp = 1000, .lost = lost, .id = 1,
	};

	for (unsigned int i = 0; i < events; i++)
		s.event[i][0] = 1;
	number += events;
	if (lost != RBMAP_LOST_UNKNOWN)
		number += lost;
	batching_add(&batching, &sb, events, number, generation);
	batching_flush(&batching);
}

static void test_exact(void **state)
{
	(void)state;
	add(3, 0);
	assert_int_equal(last.events, 3);
	assert_int_equal(last.lost, 0);
	add(2, 5);
	assert_int_equal(last.lost, 5);
	assert_int_equal(last.after.events, 5);
	assert_int_equal(last.after.lost, 5);
	assert_int_equal(last.seq, 1);
	assert_int_equal(appended, 2);
	assert_string_equal(last.source, "main.3.1.7");
}

/* The events of a batch that the spool did not take are lost, with all lost before them. */
static void test_full(void **state)
{
	(void)state;
	add(3, 0);
	fails = ENOSPC;
	add(2, 4);
	add(1, 0);
	fails = 0;
	add(4, 1);
	assert_int_equal(appended, 2);
	assert_int_equal(last.seq, 1);
	assert_int_equal(last.events, 4);
	assert_int_equal(last.lost, 4 + 2 + 1 + 1);
	assert_int_equal(last.after.events, 7);
	assert_int_equal(last.after.lost, 8);
	assert_int_equal(last.after.events + last.after.lost, number);
	/* Only once */
	add(2, 0);
	assert_int_equal(last.lost, 0);
	assert_int_equal(last.after.events + last.after.lost, number);
}

/* One summand is not known: neither is the sum. */
static void test_unknown(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) {
		end(NULL);
		begin(NULL);
		add(1, 0);
		fails = ENOSPC;
		add(2, first ? RBMAP_LOST_UNKNOWN : 3);
		add(2, first ? 3 : RBMAP_LOST_UNKNOWN);
		fails = 0;
		add(1, 5);
		assert_true(last.lost == MESSAGE_LOST_UNKNOWN);
		assert_int_equal(last.after.events, 2);
		assert_int_equal(last.after.lost, 0);
		assert_int_equal(last.after.unknown, 1);
	}
}

static int moment(struct rbmap_moment *m, const char *buffer, int clock)
{
	(void)buffer;
	(void)clock;
	*m = (struct rbmap_moment){ .ring = 1000, .real = 2000 };
	return 0;
}

/* The counters of CPU 3 cannot be read. */
static int missed(const char *buffer, int cpu, uint64_t *nr)
{
	assert_string_equal(buffer, "main");
	*nr = cpu * 7;
	return cpu == 3 ? -ENOENT : 0;
}

/* A CLOCK has what each CPU has missed, and earlier versions read its moment as before. */
static void test_missed(void **state)
{
	static const struct stream_access access = { .moment = moment, .missed = missed };
	static const struct stream_ring rings[] = { { .cpu = 0 }, { .cpu = 3 }, { .cpu = 5 } };
	static struct stream_spool spool = { .lock = PTHREAD_MUTEX_INITIALIZER };
	static struct stream_heads heads;
	struct batch_target with_spool = target;
	struct stream_clock clock;
	struct text text = { clock_text, clock_text };
	uint64_t nr;
	unsigned int cpu;

	(void)state;
	with_spool.spool = &spool;
	assert_true(stream_heads_begin(&heads, &with_spool, &access, "main", 1));
	stream_heads_clock(&heads, rings, 3);
	stream_heads_free(&heads);
	text.end += strlen(clock_text);
	assert_true(stream_clock_parse(&clock, clock_text, strlen(clock_text)));
	assert_int_equal(clock.moment.real, 2000);
	assert_true(stream_missed_next(&text, &cpu, &nr));
	assert_true(cpu == 0 && nr == 0);
	assert_true(stream_missed_next(&text, &cpu, &nr));
	assert_true(cpu == 5 && nr == 35);
	assert_false(stream_missed_next(&text, &cpu, &nr));
}

/* Lines of a host can have anything. */
static void test_bad_missed(void **state)
{
	static const char payload[] =
		"missed = 1\nmissed = 8192 1\nmissed = -1 1\nmissed = 1 x\nmissed\n"
		"missed = 1 9223372036854775808\nother = 1 1\nmissed = 4 9223372036854775807\n";
	struct text text = { payload, payload + strlen(payload) };
	uint64_t nr;
	unsigned int cpu;

	(void)state;
	assert_true(stream_missed_next(&text, &cpu, &nr));
	assert_true(cpu == 4 && nr == INT64_MAX);
	assert_false(stream_missed_next(&text, &cpu, &nr));
}

/* The CPU went on to another ring, whose events have numbers from 0 on. */
static void test_next_ring(void **state)
{
	(void)state;
	add(3, 1);
	generation = 2;
	number = 0;
	add(2, 7);
	assert_int_equal(last.seq, 0);
	assert_int_equal(last.events, 2);
	assert_int_equal(last.lost, 7);
	assert_int_equal(last.after.events, 2);
	assert_int_equal(last.after.lost, 7);
	assert_int_equal(last.after.events + last.after.lost, number);
}

/* The first events of a run that follows another one. Those of the tests are of the time 1000. */
static void test_place(void **state)
{
	static const struct {
		struct stream_position sent;
		uint64_t first;		/* number of the first event */
		unsigned int events;	/* that are sent, of four */
		uint64_t lost;
	} cases[] = {
		/* The same ring, of which all, some or none of the events were sent */
		{ { .generation = 1, .number = 5, .time = 900 }, 5, 4, 0 },
		{ { .generation = 1, .number = 5, .time = 900 }, 8, 4, 3 },
		{ { .generation = 1, .number = 7, .time = 1000 }, 5, 2, 0 },
		/* The same generation of a ring that was made again */
		{ { .generation = 1, .number = 7, .time = 999 }, 5, 4, 5 },
		/* Nobody knows what the other ring has lost at its end. */
		{ { .generation = 2, .number = 7, .time = 900 }, 5, 4, MESSAGE_LOST_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		end(NULL);
		begin(NULL);
		sent = &cases[i].sent;
		number = cases[i].first;
		add(4, 0);
		assert_int_equal(last.events, cases[i].events);
		assert_int_equal(last.number, number);
		assert_true(last.lost == cases[i].lost);
	}
	/* No run was before. */
	end(NULL);
	begin(NULL);
	number = 6;
	add(4, 0);
	assert_int_equal(last.events, 4);
	assert_int_equal(last.lost, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_exact, begin, end),
		cmocka_unit_test_setup_teardown(test_full, begin, end),
		cmocka_unit_test_setup_teardown(test_unknown, begin, end),
		cmocka_unit_test(test_missed),
		cmocka_unit_test(test_bad_missed),
		cmocka_unit_test_setup_teardown(test_next_ring, begin, end),
		cmocka_unit_test_setup_teardown(test_place, begin, end),
	};

	return cmocka_run_group_tests_name("fleet_batching", tests, NULL, NULL);
}
