// SPDX-License-Identifier: GPL-2.0-only
/* Tests in which each counter begins near its end and wraps. */
#include "ring_fixture.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define TAIL_SEQS	(1ULL << 28)

static void play(u32 nr_slots, u32 subbuf_size, enum rbmap_mode mode,
		 u64 first_seq, u32 steps)
{
	rig_open(nr_slots, subbuf_size, mode, first_seq);
	rig_play(steps, NULL);
	rig_drain();
	rig_report_drops();
	rig_check_accounts();
}

static const u32 slots[] = { 2, 3, 5, 8, 1000 };

/* With RBMAP_TEST_SHORT=1 the tests have fewer places before the wrap, and fewer sizes. */
static bool brief;

static void test_seq(void **state)
{
	u32 i, back, mode;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(slots); i++)
	for (mode = 0; mode < 2; mode++)
	for (back = 1; back < 2 * slots[i] + 2; back += 1 + back / (brief ? 4 : 16)) {
		u64 modulus = rbmap_seq_modulus(slots[i]);

		play(slots[i], 64, mode, modulus - back, 60 * slots[i] + 400);
		/* seq has wrapped. */
		rig_check(rbmap_commit_seq(rig.ring->commit) < modulus / 2);
		rig_close();
	}
}

/* The tail has only 28 bits of seq. */
static void test_tail_seq(void **state)
{
	u32 i, mode, at;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(slots); i++)
	for (mode = 0; mode < 2; mode++) {
		u64 modulus = rbmap_seq_modulus(slots[i]);
		const u64 starts[] = {
			TAIL_SEQS - 1, TAIL_SEQS - slots[i], 2 * TAIL_SEQS - 3,
			3 * TAIL_SEQS - 1, modulus / 2 / TAIL_SEQS * TAIL_SEQS - 1,
			modulus - TAIL_SEQS - 2,
		};

		for (at = 0; at < ARRAY_SIZE(starts); at++) {
			play(slots[i], 64, mode, starts[at], 60 * slots[i] + 200);
			rig_check(rbmap_commit_seq(rig.ring->commit) >
				  starts[at]);
			rig_check((rbmap_commit_seq(rig.ring->commit) ^
				   starts[at]) >= TAIL_SEQS);
			rig_close();
		}
	}
}

/* The largest number of slots; the laps cross the end of seq. */
static void test_most_slots(void **state)
{
	const u32 n = RBMAP_MAX_SLOTS;
	u64 modulus = rbmap_seq_modulus(n);
	u32 lap;

	(void)state;
	rig_open(n, 64, RBMAP_MODE_OVERWRITE, modulus - n - n / 2);
	rig_open_log(1 << 19);
	for (lap = 0; lap < 5; lap++) {
		rig_write_subbufs(n / 2 + 7 * lap, 20);
		if (lap & 1)
			rig_read();
		if (lap == 3)
			rig_drain();
	}
	rig_drain();
	rig_check_accounts();
	rig_check(local_read(&rig.ring->overrun) > 0);
	rig_check(rbmap_commit_seq(rig.ring->commit) < n * 2);
	rig_close();

	/* Nested writers advance by n + 5 sub-buffers, across the tail's 28 bits. */
	rig_open(n, 64, RBMAP_MODE_DISCARD, TAIL_SEQS - 100);
	rig_open_log(1 << 18);
	{
		struct rig_event event;

		rig_check(rig_begin(&event, 4));
		rig_write_subbufs(n + 5, 20);
		rig_commit(&event);
	}
	rig_check(local_read(&rig.ring->dropped[RBMAP_DROP_FULL]) == 1);
	rig_check(rbmap_ring_closed_unread(rig.ring) == n - 1);
	rig_drain();
	rig_report_drops();
	rig_check_accounts();
	rig_close();
}

/* Offsets up to the end of the largest sub-buffer. */
static void test_offset(void **state)
{
	static const u32 sizes[] = { 0, 3, 12, 109, 5000, 65521, 1 << 20 };
	u32 i, round;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		/* These take long, and differ little from the smallest. */
		if (brief && (sizes[i] == 3 || sizes[i] == 12))
			continue;
		rig_open(2, 4 << 20, i & 1, TAIL_SEQS - 1);
		rig_open_log(3 << 20);
		for (round = 0; round < 2; round++) {
			rig_write_subbufs(1, sizes[i]);
			rig_fill();
			rig_drain();
		}
		/* The last event ends less than an event before the end. */
		rig_check(rig.ring->subbuf[1].end + 8 > (4 << 20) - 16 - 8 ||
			  rig.ring->subbuf[2].end + 8 > (4 << 20) - 16 - 8);
		rig_report_drops();
		rig_check_accounts();
		rig_close();
	}
}

/* Event numbers may wrap: only their differences matter. */
static void test_event_numbers(void **state)
{
	static const u64 starts[] = {
		UINT32_MAX - 3ULL, INT64_MAX - 3ULL, U64_MAX - 3ULL,
	};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		u64 entries, overrun;

		rig_open(3, 64, RBMAP_MODE_OVERWRITE, 0);
		/* As if that many events had been written and read. */
		rig.ring->closed_events = starts[i];
		rig.ring->subbuf[1].first_event = starts[i];
		rig.ring->reader.expected = starts[i];
		local_set(&rig.ring->overrun, starts[i]);
		rig_play(500, NULL);
		rig_drain();
		rig_report_drops();
		entries = rbmap_ring_entries(rig.ring) - starts[i];
		overrun = local_read(&rig.ring->overrun) - starts[i];
		rig_check(entries == rig.nr_log);
		rig_check(overrun == rig.lost_events);
		rig_check(overrun > 0);
		rig_check(rig.read + overrun == entries);
		rig_close();
	}
}

static void test_drops(void **state)
{
	static const u64 starts[] = {
		UINT32_MAX - 3ULL, INT64_MAX - 3ULL,
	};
	u32 i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(starts); i++)
	for (k = 0; k < RBMAP_NR_DROPS; k++) {
		u64 dropped;

		rig_open(2, 64, RBMAP_MODE_DISCARD, 0);
		local_set(&rig.ring->dropped[k], starts[i]);
		rig.ring->reader.reported_drops = starts[i];
		rig_play(500, NULL);
		rig_drain();
		rig_report_drops();
		dropped = rbmap_ring_dropped(rig.ring) - starts[i];
		rig_check(dropped > 8);
		rig_check(dropped == rig.lost_drops);
		rig_check(rig.attempts == rig.discarded + rig.read + dropped);
		rig_check(rbmap_ring_unreported_drops(rig.ring) == 0);
		rig_close();
	}
}

/* local_t, in x86 assembly and in the C for other architectures. */
static void test_local(void **state)
{
	local_t l;

	(void)state;
	local_set(&l, LONG_MAX);
	local_inc(&l);
	assert_true(local_read(&l) == LONG_MIN);
	local_add(-1, &l);
	assert_true(local_read(&l) == LONG_MAX);
	local_set(&l, UINT32_MAX);
	local_inc(&l);
	assert_true(local_read(&l) == 1LL << 32);
	local_set(&l, -1);
	local_add(3, &l);
	assert_true((u64)local_read(&l) == 2);
}

/* The reader sleeps for more laps than the tail's bits can count. */
static void test_reader_sleeps_long(void **state)
{
	u32 i;

	(void)state;
	for (i = 28; i < 43; i++) {
		u64 lost;

		rig_open(2, 64, RBMAP_MODE_OVERWRITE, 4);
		/* As if the reader had got its last sub-buffer that long ago. */
		rig.ring->reader.next = rbmap_seq_sub(4, 1ULL << i,
						      rig.ring->modulus);
		rig_write_subbufs(3, 20);
		rig_check(rbmap_ring_has_event(rig.ring));
		rig_check(rbmap_ring_closed_unread(rig.ring) > 0);
		lost = local_read(&rig.ring->overrun);
		rig_check(lost > 0);
		rig_check(rig_read() == RBMAP_GET_NEXT);
		rig_check(rig.ring->reader.lost == lost);
		rig_drain();
		rig_check_accounts();
		rig_close();
	}
}

/*
 * Each event has the time of the ring's clock. The fast path refuses a ring that is off, and
 * an event that does not fit.
 */
static void test_clocks(void **state)
{
	static const u32 clocks[] = {
		RBMAP_CLOCK_LOCAL, RBMAP_CLOCK_MONO, RBMAP_CLOCK_BOOT, RBMAP_CLOCK_X86_TSC,
	};

	struct rbmap_reservation resv;
	u32 left;

	(void)state;
	for (u32 i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		rig_open(2, 256, RBMAP_MODE_OVERWRITE, 4);
		rig.ring->clock = clocks[i];
		rbmap_ring_set_off(rig.ring, true);
		rbmap_ring_set_off(rig.ring, false);
		for (u32 n = 0; n < 3; n++) {
			rig.clock_id = ~0U;
			rig_check(rig_write(8));
			rig_check(rig.clock_id == clocks[i]);
		}
		left = rig.ring->capacity - rbmap_tail_offset(rig.ring->tail);
		rig_check(!rbmap_ring_reserve_fast(rig.ring, left + 4, 0, false, &resv));
		rbmap_ring_publish(rig.ring);
		rbmap_ring_set_off(rig.ring, true);
		rig_check(!rbmap_ring_reserve_fast(rig.ring, rbmap_event_len(8), 0, false, &resv));
		rbmap_ring_publish(rig.ring);
		rig_close();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seq),
		cmocka_unit_test(test_tail_seq),
		cmocka_unit_test(test_most_slots),
		cmocka_unit_test(test_offset),
		cmocka_unit_test(test_event_numbers),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_reader_sleeps_long),
		cmocka_unit_test(test_clocks),
	};

	brief = getenv("RBMAP_TEST_SHORT");
	return cmocka_run_group_tests_name("ring_wrap", tests, NULL, NULL);
}
