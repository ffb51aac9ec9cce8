// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of rbmap_decode(): each kind of record; random sub-buffers, compared with
 * libtraceevent's kbuffer; and garbage. Tests of the common fields of a record.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/kbuffer.h>

#include <cmocka.h>

#include "event_common.h"
#include "lib_synth.h"

#define HEAD	RBMAP_SUBBUF_HEADER_SIZE
#define ROUNDS	3000

/* Allocate exactly the size, so that sanitizers find reads beyond the end. */
static unsigned char *new_subbuf(struct synth *s, size_t size, uint64_t ts)
{
	unsigned char *subbuf = malloc(size);

	assert_non_null(subbuf);
	synth_begin(s, subbuf, size, ts);
	return subbuf;
}

static void expect_event(const void *subbuf, size_t size,
			 struct rbmap_cursor *cursor, uint64_t ts,
			 const void *data, size_t len)
{
	struct rbmap_event ev;

	assert_int_equal(rbmap_decode(subbuf, size, cursor, &ev), 1);
	assert_int_equal(ev.ts, ts);
	assert_int_equal(ev.size, len);
	assert_memory_equal(ev.data, data, len);
}

static void expect_end(const void *subbuf, size_t size,
		       struct rbmap_cursor *cursor, int end)
{
	struct rbmap_event ev;

	assert_int_equal(rbmap_decode(subbuf, size, cursor, &ev), end);
	/* Decoding at the end returns the same again. */
	assert_int_equal(rbmap_decode(subbuf, size, cursor, &ev), end);
}

static void test_each_type(void **state)
{
	unsigned char data[256];
	struct rbmap_cursor c = { 0 };
	struct synth s;
	unsigned char *b = new_subbuf(&s, 4096, 1000);

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = i;
	synth_event(&s, 1000, data, 4);
	synth_event(&s, 1007, data, 112);
	synth_event(&s, 1007, data, 116);		/* type_len 0 */
	synth_event(&s, 1008 + (1ULL << 40), data, 8);	/* extend */
	synth_padding(&s, 5, 24);			/* its delta counts */
	synth_event(&s, s.ts + 1, data, 8);
	synth_event_absolute(&s, 3ULL << 41, data, 12);
	synth_event(&s, (3ULL << 41) + 9, data, 16);
	synth_word(&s, RBMAP_TYPE_PADDING, 0);		/* padding to the end */
	s.at += 100;
	synth_commit(&s, 0, 0);

	expect_event(b, 4096, &c, 1000, data, 4);
	expect_event(b, 4096, &c, 1007, data, 112);
	expect_event(b, 4096, &c, 1007, data, 116);
	expect_event(b, 4096, &c, 1008 + (1ULL << 40), data, 8);
	expect_event(b, 4096, &c, 1014 + (1ULL << 40), data, 8);
	expect_event(b, 4096, &c, 3ULL << 41, data, 12);
	expect_event(b, 4096, &c, (3ULL << 41) + 9, data, 16);
	expect_end(b, 4096, &c, 0);
	free(b);
}

static void test_absolute_top_bits(void **state)
{
	uint64_t edge = 5ULL << 59;
	struct rbmap_cursor c = { 0 };
	struct synth s;
	unsigned char *b = new_subbuf(&s, 4096, edge - 100);

	(void)state;
	synth_event_absolute(&s, edge - 90, "abcd", 4);
	synth_event_absolute(&s, edge + 7, "efgh", 4);
	synth_event(&s, edge + 8, "ijkl", 4);
	synth_commit(&s, 0, 0);
	expect_event(b, 4096, &c, edge - 90, "abcd", 4);
	expect_event(b, 4096, &c, edge + 7, "efgh", 4);
	expect_event(b, 4096, &c, edge + 8, "ijkl", 4);
	expect_end(b, 4096, &c, 0);
	free(b);
}

static void test_lost(void **state)
{
	static const unsigned long stored = RBMAP_MISSED_EVENTS |
					    RBMAP_MISSED_STORED;
	struct rbmap_event ev;
	struct rbmap_cursor c = { 0 };
	struct synth s;
	unsigned char *b = new_subbuf(&s, 128, 1);

	(void)state;
	synth_event(&s, 1, "abcd", 4);
	synth_event(&s, 1, "abcd", 4);
	synth_commit(&s, stored, 412);
	assert_int_equal(rbmap_decode(b, 128, &c, &ev), 1);
	assert_int_equal(ev.lost, 412);
	assert_int_equal(rbmap_decode(b, 128, &c, &ev), 1);
	assert_int_equal(ev.lost, 0);
	expect_end(b, 128, &c, 0);

	synth_commit(&s, RBMAP_MISSED_EVENTS, 0);
	assert_true(rbmap_decode_lost(b, 128) == RBMAP_LOST_UNKNOWN);

	/* No events, and no room for the number of lost ones. */
	s.at = 0;
	synth_commit(&s, stored, 7);
	c = (struct rbmap_cursor){ 0 };
	expect_end(b, 128, &c, 0);
	assert_int_equal(rbmap_decode_lost(b, 128), 7);
	s.at = 128 - HEAD - 4;
	synth_commit(&s, RBMAP_MISSED_EVENTS, 0);
	b[11] |= 0x40;
	assert_true(rbmap_decode_lost(b, 128) == RBMAP_LOST_UNKNOWN);
	synth_commit(&s, 0, 0);
	assert_int_equal(rbmap_decode_lost(b, 128), 0);
	assert_int_equal(rbmap_decode_lost(b, 15), 0);
	free(b);
}

/* A record of each kind that ends after the committed bytes. */
static void test_cut_short(void **state)
{
	static const struct {
		uint32_t type_len, delta, word;
		size_t commit;
	} cut[] = {
		{ 1, 0, 0, 4 },
		{ 28, 0, 0, 112 },
		{ 2, 0, 0, 8 },
		{ 1, 0, 0, 2 },
		{ 0, 0, 0, 4 },
		{ 0, 0, 0, 8 },			/* shorter than the length word */
		{ 0, 0, 3, 64 },
		{ 0, 0, 8, 8 },
		{ 0, 0, 61, 64 },
		{ 0, 0, 0xffffffff, 64 },
		{ 0, 0, 0xfffffffc, 64 },
		{ RBMAP_TYPE_PADDING, 1, 0, 4 },
		{ RBMAP_TYPE_PADDING, 1, 0, 64 },
		{ RBMAP_TYPE_PADDING, 1, 3, 64 },
		{ RBMAP_TYPE_PADDING, 1, 61, 64 },
		{ RBMAP_TYPE_PADDING, 1, 0xffffffff, 64 },
		{ RBMAP_TYPE_TIME_EXTEND, 1, 0, 4 },
		{ RBMAP_TYPE_TIME_STAMP, 1, 0, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		struct rbmap_cursor c = { 0 };
		struct synth s;
		unsigned char *b = new_subbuf(&s, HEAD + 128, 1);

		memset(b + HEAD, 0, 128);
		synth_word(&s, cut[i].type_len, cut[i].delta);
		synth_raw(&s, cut[i].word);
		s.at = cut[i].commit;
		synth_commit(&s, 0, 0);
		expect_end(b, HEAD + 128, &c, RBMAP_ERR_CORRUPT);
		assert_int_equal(c.offset, 0);
		free(b);
	}
}

static void test_bounds(void **state)
{
	struct rbmap_cursor c = { 0 };
	struct rbmap_event ev;
	struct synth s;
	unsigned char *b = new_subbuf(&s, 64, 1);

	(void)state;
	synth_event(&s, 1, "abcd", 4);
	synth_commit(&s, 0, 0);
	assert_int_equal(rbmap_decode(b, 15, &c, &ev), -EINVAL);
	assert_int_equal(rbmap_decode(b, 16, &c, &ev), RBMAP_ERR_CORRUPT);
	assert_int_equal(rbmap_decode(b, 23, &c, &ev), RBMAP_ERR_CORRUPT);
	assert_int_equal(rbmap_decode(b, 24, &c, &ev), 1);

	c.offset = 12;
	assert_int_equal(rbmap_decode(b, 64, &c, &ev), -EINVAL);
	c.offset = 3;
	assert_int_equal(rbmap_decode(b, 64, &c, &ev), -EINVAL);
	c.offset = SIZE_MAX - 3;
	assert_int_equal(rbmap_decode(b, 64, &c, &ev), -EINVAL);

	c.offset = 0;
	s.at = 64 - HEAD + 1;
	synth_commit(&s, 0, 0);
	assert_int_equal(rbmap_decode(b, 64, &c, &ev), RBMAP_ERR_CORRUPT);

	/* Kernels store the flag as an int, sign-extended. */
	s.at = 8;
	synth_commit(&s, (long)(int)RBMAP_MISSED_EVENTS, 0);
	assert_int_equal(rbmap_decode(b, 64, &c, &ev), 1);
	assert_true(ev.lost == RBMAP_LOST_UNKNOWN);
	free(b);
}

static void test_unaligned(void **state)
{
	struct rbmap_cursor c = { 0 };
	unsigned char *b = malloc(65);
	struct synth s;

	(void)state;
	synth_begin(&s, b + 1, 64, 77);
	synth_event(&s, 78, "abcd", 4);
	synth_event(&s, 78 + (1ULL << 30), "abcdefgh", 8);
	synth_commit(&s, 0, 0);
	expect_event(b + 1, 64, &c, 78, "abcd", 4);
	expect_event(b + 1, 64, &c, 78 + (1ULL << 30), "abcdefgh", 8);
	expect_end(b + 1, 64, &c, 0);
	free(b);
}

/* A cursor continues in a growing sub-buffer where it has ended. */
static void test_growing(void **state)
{
	struct rbmap_cursor c = { 0 };
	struct synth s;
	unsigned char *b = new_subbuf(&s, 4096, 5);

	(void)state;
	synth_commit(&s, 0, 0);
	expect_end(b, 4096, &c, 0);
	for (uint64_t i = 0; i < 50; i++) {
		synth_event(&s, 5 + i * i, &i, sizeof(i));
		synth_commit(&s, 0, 0);
		expect_event(b, 4096, &c, 5 + i * i, &i, sizeof(i));
		expect_end(b, 4096, &c, 0);
	}
	free(b);
}

static uint64_t random_step(struct rng *rng)
{
	switch (rng_below(rng, 8)) {
	case 0:
		return 0;
	case 1:
		return (1u << 27) - 2 + rng_below(rng, 4);
	case 2:
		return rng_next(rng) >> (20 + rng_below(rng, 30));
	default:
		return rng_below(rng, 5000);
	}
}

static size_t random_len(struct rng *rng)
{
	switch (rng_below(rng, 12)) {
	case 0:
		return 4 * (26 + rng_below(rng, 6));	/* sizes around type_len 28 */
	case 1:
		return 4 * (1 + rng_below(rng, 300));
	default:
		return 4 * (1 + rng_below(rng, 12));
	}
}

static void fill_random(struct synth *s, struct rng *rng)
{
	unsigned char data[2048];
	bool room = true;

	while (room && rng_below(rng, 400)) {
		size_t len = random_len(rng);
		uint64_t ts = s->ts + random_step(rng);

		for (size_t i = 0; i < len; i++)
			data[i] = rng_next(rng);
		switch (rng_below(rng, 10)) {
		case 0:
			room = synth_padding(s, 1 + rng_below(rng, 1000),
					     len + 4);
			break;
		case 1:
			room = synth_event_absolute(s, ts, data, len);
			break;
		default:
			room = synth_event(s, ts, data, len);
		}
	}
	if (!room && synth_left(s) >= 4 && rng_below(rng, 2)) {
		synth_word(s, RBMAP_TYPE_PADDING, 0);
		while (synth_left(s) >= 4)
			synth_raw(s, 0xa5a5a5a5);
	}
}

static void random_flags(struct synth *s, struct rng *rng)
{
	if (!rng_below(rng, 4) && synth_left(s) >= 8)
		synth_commit(s, RBMAP_MISSED_EVENTS | RBMAP_MISSED_STORED,
			     1 + rng_below(rng, 1000000));
	else if (!rng_below(rng, 4))
		synth_commit(s, RBMAP_MISSED_EVENTS, 0);
	else
		synth_commit(s, 0, 0);
}

static void compare(const unsigned char *b, size_t size, struct kbuffer *kbuf)
{
	struct rbmap_cursor c = { 0 };
	struct rbmap_event ev;
	unsigned long long ts;
	uint64_t lost;
	void *data;
	int ret;

	assert_int_equal(kbuffer_load_subbuffer(kbuf, (void *)b), 0);
	/* kbuffer reports a loss only at the start of the sub-buffer. */
	lost = rbmap_decode_lost(b, size);
	if (!kbuffer_curr_index(kbuf))
		assert_true(lost == (kbuffer_missed_events(kbuf) < 0 ?
				     RBMAP_LOST_UNKNOWN :
				     (uint64_t)kbuffer_missed_events(kbuf)));
	for (data = kbuffer_read_event(kbuf, &ts); data;
	     data = kbuffer_next_event(kbuf, &ts)) {
		ret = rbmap_decode(b, size, &c, &ev);
		assert_int_equal(ret, 1);
		assert_ptr_equal(ev.data, data);
		assert_int_equal(ev.ts, ts);
		assert_int_equal(ev.size, kbuffer_event_size(kbuf));
	}
	assert_int_equal(rbmap_decode(b, size, &c, &ev), 0);
}

static void test_against_kbuffer(void **state)
{
	static const size_t sizes[] = { 4096, 8192, 65536, 512 };
	struct kbuffer *kbuf = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST,
					     KBUFFER_ENDIAN_SAME_AS_HOST);
	struct rng rng = { test_seed(1) };

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		size_t size = sizes[rng_below(&rng, 4)];
		struct synth s;
		unsigned char *b;

		b = new_subbuf(&s, size, rng_next(&rng) >>
			       (8 + rng_below(&rng, 40)));
		fill_random(&s, &rng);
		random_flags(&s, &rng);
		compare(b, size, kbuf);
		free(b);
	}
	kbuffer_free(kbuf);
}

/* Decode all: the loop must end and stay within the sub-buffer. */
static void walk(const unsigned char *b, size_t size)
{
	struct rbmap_cursor c = { 0 };
	struct rbmap_event ev;
	size_t steps = 0, last = 0;
	unsigned char sum = 0;
	int ret;

	while ((ret = rbmap_decode(b, size, &c, &ev)) == 1) {
		const unsigned char *data = ev.data;

		assert_true(data >= b + HEAD && data + ev.size <= b + size);
		assert_true(c.offset > last && c.offset <= size - HEAD);
		last = c.offset;
		for (uint32_t i = 0; i < ev.size; i++)
			sum ^= data[i];
		assert_true(++steps <= size / 4);
	}
	assert_true(ret == 0 || ret == RBMAP_ERR_CORRUPT || ret == -EINVAL);
	rbmap_decode_lost(b, size);
	(void)sum;
}

static void test_garbage(void **state)
{
	struct rng rng = { test_seed(2) };

	(void)state;
	for (int i = 0; i < 20 * ROUNDS; i++) {
		size_t size = HEAD + rng_below(&rng, 300);
		unsigned char *b = malloc(size);
		unsigned long commit;

		for (size_t n = 0; n < size; n++)
			b[n] = rng_below(&rng, 3) ? rng_next(&rng) : 0;
		commit = rng_below(&rng, size + 8);
		if (!rng_below(&rng, 4))
			commit |= rng_next(&rng) & 0xc0000000;
		if (rng_below(&rng, 16))
			memcpy(b + 8, &commit, sizeof(commit));
		walk(b, size);
		free(b);
	}
}

static void test_mutated(void **state)
{
	struct rng rng = { test_seed(3) };

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct synth s;
		unsigned char *b = new_subbuf(&s, 1024, rng_next(&rng));

		fill_random(&s, &rng);
		random_flags(&s, &rng);
		for (int n = 0; n < 8; n++) {
			b[8 + rng_below(&rng, 1016)] ^= 1 << rng_below(&rng, 8);
			walk(b, 1024);
		}
		free(b);
	}
}

/* Padding that is longer than the rest, when its length is rounded up. */
static void test_padding_beyond_end(void **state)
{
	uint32_t words[16] = { 0 };
	struct rbmap_cursor c = { 0 };
	struct rbmap_event ev;
	uint64_t commit = 13;

	(void)state;
	memcpy(&words[2], &commit, sizeof(commit));
	words[HEAD / 4] = RBMAP_TYPE_PADDING | 1 << 5;
	words[HEAD / 4 + 1] = 9;
	assert_int_equal(rbmap_decode(words, sizeof(words), &c, &ev), RBMAP_ERR_CORRUPT);
	assert_int_equal(c.offset, 0);
}

/* Allocate exactly the size, so that sanitizers find reads beyond the end. */
static void expect_common(size_t size, bool expected)
{
	const struct rbmap_event_common written = {
		.type = 0xfedc, .flags = 3, .preempt_count = 5, .pid = -7,
	};
	struct rbmap_event_common common = { .type = 1, .pid = 1 };
	unsigned char *record = malloc(size);
	struct rbmap_event ev = { .data = record, .size = size };
	uint16_t id = 1;

	assert_true(record || !size);
	if (size)
		memcpy(record, &written, size < sizeof(written) ? size : sizeof(written));
	assert_int_equal(event_common(&ev, &common), expected);
	assert_int_equal(event_id(&ev, &id), expected);
	assert_int_equal(id, expected ? written.type : 1);
	assert_int_equal(common.type, expected ? written.type : 1);
	assert_int_equal(common.flags, expected ? written.flags : 0);
	assert_int_equal(common.preempt_count, expected ? written.preempt_count : 0);
	assert_int_equal(common.pid, expected ? written.pid : 1);
	free(record);
}

static void test_common(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(struct rbmap_event_common); size++)
		expect_common(size, false);
	expect_common(sizeof(struct rbmap_event_common), true);
	expect_common(sizeof(struct rbmap_event_common) + 4, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_type),
		cmocka_unit_test(test_absolute_top_bits),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_unaligned),
		cmocka_unit_test(test_padding_beyond_end),
		cmocka_unit_test(test_growing),
		cmocka_unit_test(test_against_kbuffer),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_mutated),
		cmocka_unit_test(test_common),
	};

	return cmocka_run_group_tests_name("lib_decode", tests, NULL, NULL);
}
