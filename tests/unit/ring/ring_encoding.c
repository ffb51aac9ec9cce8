// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of event headers and times, decoded by libtraceevent, too.  The fixture compares
 * each event read with the event written.  The tests here vary sizes, clocks and
 * discards.
 */
#include "ring_fixture.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define DELTA_LIMIT	(1ULL << 27)
#define EPOCH		(1ULL << 59)

static u64 now;
static u64 step;

static u64 clock_steps(void)
{
	now += step;
	return now;
}

/* The time stays the same if the ring reads the clock again for an event. */
static u64 clock_steps_by_event(void)
{
	static u64 tail;

	if (rig.ring->tail != tail)
		now += step;
	tail = rig.ring->tail;
	return now;
}

static void open_ring(u32 subbuf_size)
{
	rig_open(4, subbuf_size, RBMAP_MODE_OVERWRITE, 0);
	rig.clock = clock_steps;
	now = 1000;
	step = 1;
}

static void close_ring(void)
{
	rig_drain();
	rig_check_accounts();
	rig_close();
}

static u32 tail_offset(void)
{
	return rbmap_tail_offset(rig.ring->tail);
}

/* Event lengths are those of the table in linux/rbmap.h. */
static void test_event_len(void **state)
{
	(void)state;
	assert_int_equal(rbmap_event_len(0), 8);
	assert_int_equal(rbmap_event_len(1), 8);
	assert_int_equal(rbmap_event_len(4), 8);
	assert_int_equal(rbmap_event_len(5), 16);
	assert_int_equal(rbmap_event_len(8), 16);
	assert_int_equal(rbmap_event_len(9), 16);
	assert_int_equal(rbmap_event_len(12), 16);
	assert_int_equal(rbmap_event_len(13), 20);
	assert_int_equal(rbmap_event_len(16), 20);
	assert_int_equal(rbmap_event_len(111), 116);
	assert_int_equal(rbmap_event_len(112), 116);
	assert_int_equal(rbmap_event_len(113), 124);
	assert_int_equal(rbmap_event_len(116), 124);
	assert_int_equal(rbmap_event_len(117), 128);
	assert_int_equal(rbmap_event_len(4080 - 8), 4080);
	assert_int_equal(rbmap_event_len((4 << 20) - 24), (4 << 20) - 16);
}

static void test_words(void **state)
{
	static const u32 deltas[] = { 0, 1, DELTA_LIMIT / 2, DELTA_LIMIT - 1 };
	u32 type, i;

	(void)state;
	for (type = 0; type < 32; type++)
	for (i = 0; i < ARRAY_SIZE(deltas); i++) {
		u32 word = rbmap_event_word(type, deltas[i]);

		assert_int_equal(rbmap_event_type_len(word), type);
		assert_int_equal(rbmap_event_delta(word), deltas[i]);
	}
}

/* All event sizes, in sub-buffers of the smallest and of larger sizes. */
static void test_all_sizes(void **state)
{
	static const u32 subbuf_sizes[] = { 64, 256, 4096, 8192 };
	u32 i, size;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(subbuf_sizes); i++) {
		open_ring(subbuf_sizes[i]);
		for (size = 0; size <= rbmap_ring_max_event(rig.ring); size++) {
			/* The next event shows writes beyond the end. */
			assert_true(rig_write(size));
			assert_true(rig_write(3));
			rig_drain();
		}
		assert_false(rig_write(size));
		assert_int_equal(local_read(&rig.ring->dropped[
				 RBMAP_DROP_TOO_LARGE]), 1);
		close_ring();
	}
}

/* An event of the largest size fills a sub-buffer. */
static void test_largest_event(void **state)
{
	static const u32 subbuf_sizes[] = { 4096, 65536, 4 << 20 };
	u32 i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(subbuf_sizes); i++) {
		u32 max = subbuf_sizes[i] - 24;

		open_ring(subbuf_sizes[i]);
		assert_int_equal(rbmap_ring_max_event(rig.ring), max);
		for (k = 0; k < 6; k++) {
			assert_true(rig_write(max));
			assert_int_equal(tail_offset(), max + 8);
			assert_true(rig_write(0));
			assert_int_equal(tail_offset(), 8);
			rig_read();
			rig_read();
		}
		close_ring();
	}
}

struct gap {
	u64	step;
	u32	len;	/* length of an event with 16 bytes of payload */
};

static void test_deltas(void **state)
{
	static const struct gap gaps[] = {
		{ 0, 24 },			/* 20, rounded to 8 */
		{ 1, 20 },
		{ DELTA_LIMIT - 2, 20 },
		{ DELTA_LIMIT - 1, 20 },
		{ DELTA_LIMIT, 32 },		/* time extend, 24 */
		{ DELTA_LIMIT + 1, 32 },
		{ 1ULL << 32, 32 },
		{ (1ULL << 54) - 1, 32 },
		{ 1ULL << 54, 32 },
		{ EPOCH - 1 - (1ULL << 56), 32 },
	};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(gaps); i++) {
		u32 before;

		open_ring(4096);
		rig.clock = clock_steps_by_event;
		step = 1;
		assert_true(rig_write(16));
		before = tail_offset();
		step = gaps[i].step;
		assert_true(rig_write(16));
		assert_int_equal(tail_offset() - before, gaps[i].len);
		step = 1;
		assert_true(rig_write(16));
		assert_int_equal(tail_offset() - before, gaps[i].len + 20);
		close_ring();
	}
}

/*
 * A ring that replaces another one with the same clock keeps times monotonic, although
 * the clock has stepped back.  The old ring may keep the last time in any stamp.
 */
static void test_follow(void **state)
{
	struct rig_event event;
	u32 i;

	(void)state;
	for (i = 0; i < 16; i++) {
		struct rbmap_ring old;
		u64 latest;

		open_ring(4096);
		now = 1ULL << 40;
		assert_true(rig_write(8));
		if (i & 1) {
			assert_true(rig_begin(&event, 8));
			rig_discard(&event);
		}
		if (i & 2) {
			assert_true(rig_begin(&event, 8));
			assert_true(rig_write(8));
			rig_discard(&event);
		}
		if (i & 4)
			assert_true(rig_write(8));
		latest = rig.clock_max;
		old = *rig.ring;
		close_ring();

		open_ring(4096);
		rig.clock_steps_back = true;
		if (i & 8)
			old.clock = RBMAP_CLOCK_MONO;
		else
			rig.clock_max = latest;
		rbmap_ring_follow(rig.ring, &old);
		assert_true(rig_write(8));
		assert_true(rig_write(8));
		if (i & 8)
			assert_true(rig.ring->before < latest);
		else
			assert_true(rig.ring->before >= latest);
		close_ring();
	}
}

/* The top 5 bits of the time are in the sub-buffer: a change opens another one. */
static void test_epochs(void **state)
{
	static const u64 steps[] = {
		EPOCH, EPOCH - 1, EPOCH + 1, 2 * EPOCH, 3, DELTA_LIMIT + 3,
	};
	u32 i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(steps); i++)
	for (k = 0; k < 31; k++) {
		struct rig_event event;

		open_ring(4096);
		rig.clock = clock_steps_by_event;
		now = (k + 1) * EPOCH - 2;
		assert_true(rig_write(8));
		assert_true(rig_write(8));
		step = steps[i];
		/*
		 * The ring reads the clock once more for a new sub-buffer.  If the clock
		 * wraps, the time stands still.
		 */
		rig.clock_steps_back = now + 2 * step + 8 < now;
		assert_true(rig_write(8));
		/* After a discard the next event has an absolute stamp. */
		step = 1;
		assert_true(rig_begin(&event, 8));
		rig_discard(&event);
		assert_true(rig_write(8));
		assert_true(rig_write(8));
		close_ring();
	}
}

/* A short delta may cross 2^59; an absolute stamp after that may not. */
static void test_epoch_crossed_by_a_delta(void **state)
{
	struct rig_event event;
	u64 seq;

	(void)state;
	open_ring(4096);
	now = 5 * EPOCH - 3;
	seq = rbmap_commit_seq(rig.ring->commit);
	while (now < 5 * EPOCH + 3)
		assert_true(rig_write(8));
	assert_int_equal(rbmap_commit_seq(rig.ring->commit), seq);
	assert_true(rig_begin(&event, 8));
	rig_discard(&event);
	assert_true(rig_write(8));
	assert_int_equal(rbmap_commit_seq(rig.ring->commit), seq + 1);
	step = DELTA_LIMIT;
	assert_true(rig_write(8));
	assert_int_equal(rbmap_commit_seq(rig.ring->commit), seq + 1);
	close_ring();
}

static void test_time_zero_and_end(void **state)
{
	struct rig_event event;
	u32 i;

	(void)state;
	open_ring(4096);
	now = 0;
	step = 0;
	for (i = 0; i < 4; i++) {
		assert_true(rig_write(i));
		assert_true(rig_begin(&event, 8));
		if (i & 1)
			assert_true(rig_write(4));
		rig_discard(&event);
	}
	close_ring();

	open_ring(4096);
	now = U64_MAX - 10;
	for (i = 0; i < 10; i++)
		assert_true(rig_write(i));
	assert_true(now == U64_MAX);
	/* The clock wraps: short deltas wrap, too; a new sub-buffer keeps the maximum. */
	rig.clock_steps_back = true;
	for (i = 0; i < 20; i++)
		assert_true(rig_write(i));
	close_ring();
}

static u64 clock_back_and_forth(void)
{
	static const u64 steps[] = { 0, 1, 7, DELTA_LIMIT, 1ULL << 39 };
	u64 by = steps[rig_below(ARRAY_SIZE(steps))];

	if (rig_below(2) && now > by)
		now -= by;
	else
		now += by;
	return now;
}

static void test_clock_steps_back(void **state)
{
	struct rig_event event;
	u32 i;

	(void)state;
	open_ring(256);
	rig.clock = clock_back_and_forth;
	rig.clock_steps_back = true;
	for (i = 0; i < 20000; i++) {
		switch (rig_below(4)) {
		case 0:
			if (rig_begin(&event, rig_below(30)))
				rig_discard(&event);
			break;
		case 1:
			if (!rig_begin(&event, rig_below(30)))
				break;
			rig_write(rig_below(9));
			rig_discard(&event);
			break;
		default:
			rig_write(rig_below(40));
		}
		if (!rig_below(4))
			rig_read();
	}
	close_ring();
}

/* Discarding the last event frees its bytes. */
static void test_discard_last(void **state)
{
	static const u64 steps[] = { 0, 1, DELTA_LIMIT };
	struct rig_event event;
	u32 i, before;

	(void)state;
	open_ring(4096);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		assert_true(rig_write(20));
		before = tail_offset();
		step = steps[i];
		assert_true(rig_begin(&event, 100));
		rig_discard(&event);
		assert_int_equal(tail_offset(), before);
		/* A second discard in a row. */
		assert_true(rig_begin(&event, 8));
		rig_discard(&event);
		assert_int_equal(tail_offset(), before);
		assert_true(rig_write(20));
		/* 24 and an absolute stamp: a delta would have no base */
		assert_int_equal(tail_offset(), before + 32);
	}
	assert_int_equal(rbmap_ring_entries(rig.ring), 2 * ARRAY_SIZE(steps));
	close_ring();
}

/* Discarding an inner event leaves padding or a time extend, which keeps the time. */
static void test_discard_inside(void **state)
{
	static const u64 steps[] = {
		0, 1, DELTA_LIMIT - 1, DELTA_LIMIT, 1ULL << 40,
	};
	struct rig_event event;
	u32 i, size, first;

	(void)state;
	open_ring(4096);
	for (first = 0; first < 2; first++)
	for (size = 0; size < 140; size++)
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		if (first) {
			rig_ring_close();
			assert_int_equal(tail_offset(), 0);
		} else {
			assert_true(rig_write(4));
		}
		step = steps[i];
		assert_true(rig_begin(&event, size));
		assert_true(rig_write(12));
		rig_discard(&event);
		step = 1;
		assert_true(rig_write(4));
		rig_drain();
	}
	close_ring();
}

/* A sub-buffer with only discarded events. */
static void test_discard_all(void **state)
{
	struct rig_event event[RBMAP_MAX_NEST];
	int i;

	(void)state;
	open_ring(256);
	for (i = 0; i < RBMAP_MAX_NEST; i++)
		assert_true(rig_begin(&event[i], 8));
	while (i--)
		rig_discard(&event[i]);
	/* Each event was the last one when it was discarded. */
	assert_int_equal(tail_offset(), 0);
	assert_int_equal(rig_drain(), 0);

	for (i = 0; i < RBMAP_MAX_NEST - 1; i++)
		assert_true(rig_begin(&event[i], 8));
	rig_write(0);
	while (i--)
		rig_discard(&event[i]);
	assert_int_equal(rig_drain(), 1);
	close_ring();
}

static void step_at_random(void)
{
	static const u64 steps[] = {
		0, 0, 1, 1, 1, 2, 1000, DELTA_LIMIT - 1, DELTA_LIMIT,
		DELTA_LIMIT + 1, 1ULL << 33, 1ULL << 50,
	};

	step = steps[rig_below(ARRAY_SIZE(steps))];
}

static void test_random(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 40; i++) {
		open_ring(64 << rig_below(8));
		rig.random += i << 20;
		now = rig_random();
		if (i & 1)
			now = now << 59;
		now >>= 1;
		rig_play(4000, step_at_random);
		close_ring();
	}
}

/* The flags and the number that report a loss in a sub-buffer. */
static void test_lost_flags(void **state)
{
	u32 room;

	(void)state;
	for (room = 0; room <= 16; room += 4) {
		const struct rbmap_subbuf_header *header;
		u32 size, lost, i, n = 0;

		open_ring(256);
		step = 1;
		while (rbmap_commit_seq(rig.ring->commit) < 6) {
			u32 left = 240 - tail_offset();

			/* Leave `room` bytes at each end. */
			if (left <= room)
				rig_ring_close();
			if (left >= room + 16 || left == room + 8)
				rig_write(left - room == 16 ? 12 : 4);
			else if (left > room)
				rig_write(4);
			n++;
			assert_true(n < 1000);
		}
		assert_int_equal(rbmap_ring_get(rig.ring), RBMAP_GET_NEXT);
		header = rig.ring->subbuf[rig.ring->reader.id].header;
		size = header->commit;
		lost = rig.ring->reader.lost;
		assert_true(lost > 0);
		assert_int_equal(lost, local_read(&rig.ring->overrun));

		/* The loss is not reported yet. */
		kbuffer_load_subbuffer(rig.kbuf, (void *)header);
		assert_int_equal(kbuffer_missed_events(rig.kbuf), 0);

		assert_true(rbmap_ring_mark_lost(rig.ring));
		kbuffer_load_subbuffer(rig.kbuf, (void *)header);
		assert_int_equal(kbuffer_subbuffer_size(rig.kbuf), size);
		if (240 - size >= 8) {
			assert_int_equal(header->commit,
					 size | 1u << 31 | 1u << 30);
			assert_int_equal(kbuffer_missed_events(rig.kbuf), lost);
		} else {
			assert_int_equal(header->commit, size | 1u << 31);
			assert_int_equal(kbuffer_missed_events(rig.kbuf), -1);
		}
		/* The flags do not change the number of unread bytes. */
		assert_int_equal(rbmap_ring_unread(rig.ring), size);
		rbmap_ring_consume(rig.ring, size);
		assert_int_equal(rig.ring->reader.read,
				 rig.ring->subbuf[rig.ring->reader.id].closed_events);
		assert_int_equal(rbmap_ring_unread(rig.ring), 0);

		/* The writer clears the flags when it gets the sub-buffer again. */
		for (i = 0; i < 400; i++)
			rig_write(4);
		while (rbmap_ring_get(rig.ring) != RBMAP_GET_EMPTY) {
			header = rig.ring->subbuf[rig.ring->reader.id].header;
			assert_int_equal(header->commit & (3u << 30), 0);
			rbmap_ring_consume(rig.ring, header->commit);
		}
		rig_close();
	}
}

/* A loss cannot be marked while the writer is in the sub-buffer. */
static void test_lost_flags_wait(void **state)
{
	const struct rbmap_subbuf_header *header;

	(void)state;
	open_ring(256);
	rig_write(8);
	assert_int_equal(rbmap_ring_get(rig.ring), RBMAP_GET_NEXT);
	header = rig.ring->subbuf[rig.ring->reader.id].header;
	assert_false(rbmap_ring_mark_lost(rig.ring));
	assert_int_equal(header->commit, 16);
	rig_ring_close();
	assert_true(rbmap_ring_mark_lost(rig.ring));
	rig_close();
}

/* rbmap_count_events(), used to consume a part, agrees with decoding. */
static void test_count_events(void **state)
{
	static struct decoded events[600];
	struct rig_event event;
	struct rbmap_subbuf_header *header;
	u32 i, n;

	(void)state;
	open_ring(4096);
	for (i = 0; i < 60; i++) {
		step = i % 3 ? 1 : DELTA_LIMIT * (i % 2);
		rig_begin(&event, i % 7 ? i : 113 + i);
		rig_write(1);
		if (i % 4)
			rig_commit(&event);
		else
			rig_discard(&event);
	}
	for (i = 0; i < 3; i++) {
		header = rig.ring->subbuf[i].header;
		n = rig_decode(header, header->commit, events, 600);
		assert_int_equal(rbmap_count_events(header, 0, header->commit), n);
		if (n > 4)
			assert_int_equal(rbmap_count_events(header,
					 events[2].offset, events[4].offset), 2);
	}
	close_ring();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_len),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_all_sizes),
		cmocka_unit_test(test_largest_event),
		cmocka_unit_test(test_deltas),
		cmocka_unit_test(test_follow),
		cmocka_unit_test(test_epochs),
		cmocka_unit_test(test_epoch_crossed_by_a_delta),
		cmocka_unit_test(test_time_zero_and_end),
		cmocka_unit_test(test_clock_steps_back),
		cmocka_unit_test(test_discard_last),
		cmocka_unit_test(test_discard_inside),
		cmocka_unit_test(test_discard_all),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_lost_flags),
		cmocka_unit_test(test_lost_flags_wait),
		cmocka_unit_test(test_count_events),
	};

	return cmocka_run_group_tests_name("ring_encoding", tests, NULL, NULL);
}
