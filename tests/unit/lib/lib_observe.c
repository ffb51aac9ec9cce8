// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of observers on the ring of module/ring, beside a writer that does not wait:
 * each event comes at most once, in order and intact, and missed events are counted.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib_synth.h"
#include "live_ring.h"

#define SUBBUF	512
#define SLOTS	4

/**
 * struct look - an observer of a ring
 * @map: its map; the first member, because transports cast it back
 * @next: the ring that follows the mapped one
 * @got: number of events seen
 * @lost: number of losses reported to it
 * @dropping: a smaller event may come before the loss of a larger one is reported
 * @number: number of the last event
 */
struct look {
	struct rbmap_map	map;
	struct live_ring	*next;
	uint64_t		got;
	uint64_t		lost;
	bool			dropping;
	uint64_t		number;
};

static void map_live(struct look *look, struct live_ring *live)
{
	assert_int_equal(rbmap_map_init(&look->map, live->meta, 4096), 0);
	look->map.data = live->data;
}

static int next_ring(struct rbmap_map *map)
{
	struct look *look = (struct look *)map;

	if (look->next)
		map_live(look, look->next);
	return look->next ? rbmap_observer_init(map, look->next->slot_table) :
			    -ENOMEM;
}

/* The test frees the rest. */
static void close_look(struct rbmap_map *map)
{
	rbmap_observer_free(map);
}

static const struct rbmap_transport transport = {
	.next_ring	= next_ring,
	.close		= close_look,
};

static void look_begin(struct look *look, struct live_ring *live)
{
	memset(look, 0, sizeof(*look));
	look->map.transport = &transport;
	look->map.fd = look->map.wake_fd = -1;
	map_live(look, live);
	assert_int_equal(rbmap_observer_new(&look->map), 0);
	assert_int_equal(rbmap_observer_init(&look->map, live->slot_table), 0);
}

static void look_end(struct look *look)
{
	rbmap_close(&look->map);
}

/* Return: the fault of an event, or NULL.  Threads cannot use cmocka's assertions. */
static const char *wrong_event(const struct rbmap_event *ev, uint64_t number)
{
	unsigned char expected[LIVE_MAX];
	const size_t common = sizeof(struct rbmap_event_common);
	size_t size = live_size(number);

	live_fill(expected, number);
	if (ev->ts != number)
		return "time";
	if (ev->size < common + size || ev->size > common + size + 11)
		return "size";
	if (memcmp((const char *)ev->data + common, expected, size))
		return "bytes";
	return NULL;
}

/* Read at most `most` events and check them; their numbers begin at 0. */
static const char *look_on(struct look *look, uint64_t most)
{
	struct rbmap_event ev;
	const char *wrong;
	int ret = 0;

	while (most-- && (ret = rbmap_next_event(&look->map, &ev)) == 1) {
		look->lost += ev.lost;
		if (look->dropping && look->got && ev.ts <= look->number)
			return "an event was returned twice";
		look->number = ev.ts;
		wrong = wrong_event(&ev, look->dropping ? ev.ts :
				    look->got + look->lost);
		if (wrong)
			return wrong;
		look->got++;
	}
	return ret < 0 ? "rbmap_next_event() failed" : NULL;
}

#define assert_looks(look, most) do {					\
	const char *wrong = look_on(look, most);			\
									\
	if (wrong)							\
		fail_msg("event %lu: %s", (look)->got + (look)->lost, wrong); \
} while (0)

static void test_takes_nothing(void **state)
{
	struct live_ring *live = live_new(SLOTS, SUBBUF, false, 0, 1);
	uint64_t number = 0, read = 0, n;
	struct look first, second;
	struct rbmap_loss loss;

	(void)state;
	look_begin(&first, live);
	for (int i = 0; i < 100; i++) {
		assert_true(live_emit(live, number++));
		assert_looks(&first, UINT64_MAX);
		assert_int_equal(first.got, number);
	}
	/* A later observer sees the events that are still in the ring. */
	look_begin(&second, live);
	assert_int_equal(rbmap_map_pending(&second.map), false);
	second.lost = 0;
	{
		struct rbmap_event ev;

		assert_int_equal(rbmap_next_event(&second.map, &ev), 1);
		assert_int_equal(ev.lost, 0);
		assert_true(ev.ts > 0 && ev.ts < number);
		second.lost = ev.ts;
		second.got = 1;
	}
	assert_looks(&second, UINT64_MAX);
	assert_int_equal(second.got + second.lost, number);

	/* The reader gets all events in the ring: more than the observers. */
	while ((n = live_read(live)))
		read += n;
	assert_true(read >= second.got);
	rbmap_loss(&first.map, &loss);
	assert_int_equal(loss.reported, 0);
	look_end(&first);
	look_end(&second);
	live_free(live);
}

/* Observers neither see nor miss events from before a reset. */
static void test_reset(void **state)
{
	struct live_ring *live = live_new(SLOTS, 4096, false, 0, 1);
	struct rbmap_event ev;
	struct look look, later;

	(void)state;
	for (int i = 0; i < 20; i++)
		live_emit(live, i);
	look_begin(&look, live);
	assert_looks(&look, 10);
	for (int i = 20; i < 40; i++) {
		live_emit(live, i);
		live_close(live);
		live_close(live);
	}
	live->meta->first_seq = live->slot_table->newest;
	assert_looks(&look, 10);
	assert_int_equal(look.got, 20);
	assert_int_equal(rbmap_next_event(&look.map, &ev), 0);
	look_begin(&later, live);
	assert_int_equal(rbmap_next_event(&later.map, &ev), 0);
	live_emit(live, 40);
	assert_int_equal(rbmap_next_event(&look.map, &ev), 1);
	assert_int_equal(ev.ts, 40);
	assert_int_equal(ev.lost, 0);
	assert_int_equal(rbmap_next_event(&later.map, &ev), 1);
	assert_int_equal(ev.ts, 40);
	assert_int_equal(ev.lost, 0);
	look_end(&look);
	look_end(&later);
	live_free(live);
}

/*
 * The writer opens the slot of a sub-buffer: this is its first store. It can open many
 * after the observer has loaded newest.
 */
static void overwrite(struct live_ring *live, uint64_t seq)
{
	struct rbmap_table_slot *slot = &live->slot_table->slot[seq % SLOTS];

	slot->slot = RBMAP_TABLE_SLOT(seq + SLOTS, RBMAP_TABLE_ID(slot->slot));
}

/* The writer overwrites the first sub-buffer after a reset while an observer goes there. */
static void test_overwritten_after_reset(void **state)
{
	struct live_ring *live = live_new(SLOTS, SUBBUF, false, 0, 1);
	struct rbmap_event ev;
	uint64_t number = 0;
	struct look look;

	(void)state;
	live_emit(live, number++);
	look_begin(&look, live);
	assert_looks(&look, 1);
	while (live->slot_table->newest < 2)
		live_emit(live, number++);
	live->meta->first_seq = 2;
	while (live->slot_table->newest < 3)
		live_emit(live, number++);
	overwrite(live, 2);
	assert_int_equal(rbmap_next_event(&look.map, &ev), 1);
	assert_int_equal(ev.ts, live->slot_table->slot[3].events);
	assert_int_equal(ev.lost, ev.ts - 1);
	look_end(&look);
	live_free(live);
}

/* Events of before are missed by the observer of a CPU that came later, and by no other one. */
static void test_older(void **state)
{
	struct live_ring *live = live_new(SLOTS, SUBBUF, false, 0, 1);
	struct rbmap_event ev;
	struct rbmap_loss loss;
	uint64_t number = 0;
	struct look look;

	(void)state;
	while (live->slot_table->newest < 3 * SLOTS)
		live_emit(live, number++);
	for (int late = 0; late < 2; late++) {
		look_begin(&look, live);
		if (late)
			rbmap_observer_count_older(&look.map);
		assert_int_equal(rbmap_next_event(&look.map, &ev), 1);
		assert_true(ev.ts > 0);
		assert_int_equal(ev.lost, late ? ev.ts : 0);
		rbmap_loss(&look.map, &loss);
		assert_int_equal(loss.total, late ? ev.ts : 0);
		assert_int_equal(rbmap_observer_number(&look.map) - rbmap_events_read(&look.map), ev.ts);
		look_end(&look);
	}
	/* Earlier rings had events of an unknown number. */
	live->meta->generation = 3;
	look_begin(&look, live);
	rbmap_observer_count_older(&look.map);
	assert_int_equal(rbmap_next_event(&look.map, &ev), 1);
	assert_true(ev.lost == RBMAP_LOST_UNKNOWN);
	look_end(&look);
	live_free(live);
}

/* Random steps of observers, a reader and a writer. */
static void test_random(void **state)
{
	struct rng rng = { test_seed(8) };
	uint64_t missed = 0, dropped = 0;

	(void)state;
	for (int round = 0; round < 300; round++) {
		bool discard = round & 1;
		struct live_ring *live = live_new(2 + rng_below(&rng, 6),
						  round % 3 ? SUBBUF : 256,
						  discard, round % 5 ? 0 : 9, 1);
		uint64_t number = 0, drops = 0;
		struct rbmap_loss loss;
		struct look look[3];

		for (int i = 0; i < 3; i++) {
			look_begin(&look[i], live);
			look[i].dropping = discard;
		}
		for (int turn = 0; turn < 100; turn++) {
			uint64_t n = rng_below(&rng, 1 << rng_below(&rng, 7));

			while (n--)
				drops += !live_emit(live, number++);
			if (rng_below(&rng, 3))
				live_read(live);
			for (int i = 0; i < 3; i++)
				if (!rng_below(&rng, i + 1))
					assert_looks(&look[i], 1 << rng_below(&rng, 8));
		}
		/* Make room for one more event, which reports the drops before it. */
		while (live_read(live))
			;
		live_close(live);
		live_close(live);
		assert_true(live_emit(live, number++));
		for (int i = 0; i < 3; i++) {
			assert_looks(&look[i], UINT64_MAX);
			assert_int_equal(look[i].got + look[i].lost, number);
			assert_true(look[i].lost >= drops);
			rbmap_loss(&look[i].map, &loss);
			assert_int_equal(loss.reported, look[i].lost);
			assert_int_equal(loss.total, look[i].lost);
			missed += look[i].lost - drops;
			look_end(&look[i]);
		}
		dropped += drops;
		live_free(live);
	}
	printf("# %lu events were missed, %lu dropped\n", missed, dropped);
	assert_true(missed && dropped);
}

/* The writer overwrites the first sub-buffer of the next ring while an observer goes there. */
static void test_next_ring_overwritten(void **state)
{
	struct live_ring *live[2];
	struct rbmap_event ev;
	uint64_t number = 0;
	struct look look;

	(void)state;
	for (int i = 0; i < 2; i++)
		live[i] = live_new(SLOTS, SUBBUF, false, 0, i + 1);
	look_begin(&look, live[0]);
	live_emit(live[0], number++);
	assert_looks(&look, 1);
	live[0]->meta->retired = 1;
	look.next = live[1];
	while (live[1]->slot_table->newest < SLOTS - 2)
		live_emit(live[1], number++);
	overwrite(live[1], 0);
	assert_int_equal(rbmap_next_event(&look.map, &ev), 1);
	assert_true(ev.lost > 0);
	assert_int_equal(ev.lost, live[1]->slot_table->slot[1].events);
	assert_int_equal(ev.ts, 1 + ev.lost);
	look_end(&look);
	for (int i = 0; i < 2; i++)
		live_free(live[i]);
}

static void test_next_ring(void **state)
{
	struct live_ring *live[3];
	struct rbmap_event ev;
	struct look look;
	uint64_t number = 0;

	(void)state;
	for (int i = 0; i < 3; i++)
		live[i] = live_new(SLOTS + i, SUBBUF << i, false, 0,
				   i == 2 ? 9 : i + 1);
	look_begin(&look, live[0]);
	for (; number < 5; number++)
		live_emit(live[0], number);
	assert_looks(&look, 3);
	for (; number < 8; number++)
		live_emit(live[1], number);
	live[0]->meta->retired = 1;
	look.next = live[1];
	assert_looks(&look, UINT64_MAX);
	assert_int_equal(look.got, 8);
	assert_int_equal(look.lost, 0);

	/* The rings between this one and the next are freed already. */
	live_emit(live[2], number);
	live[1]->meta->retired = 1;
	look.next = live[2];
	assert_true(rbmap_observe_pending(&look.map));
	assert_int_equal(rbmap_next_event(&look.map, &ev), 1);
	assert_int_equal(ev.lost, RBMAP_LOST_UNKNOWN);
	assert_int_equal(ev.ts, number);
	live_emit(live[2], ++number);
	assert_int_equal(rbmap_next_event(&look.map, &ev), 1);
	assert_int_equal(ev.lost, 0);

	/* The last ring is mapped once more; then the observer has ended. */
	live[2]->meta->retired = 1;
	live_emit(live[2], ++number);
	assert_int_equal(rbmap_next_event(&look.map, &ev), 1);
	assert_int_equal(ev.ts, number);
	assert_true(rbmap_observe_pending(&look.map));
	assert_int_equal(rbmap_next_event(&look.map, &ev), RBMAP_ERR_GONE);
	assert_true(rbmap_observe_pending(&look.map));
	assert_int_equal(rbmap_next_event(&look.map, &ev), RBMAP_ERR_GONE);
	look_end(&look);
	for (int i = 0; i < 3; i++)
		live_free(live[i]);
}

/* A wrong slot table must not cause accesses beyond the ring: run with asan. */
static void test_lies(void **state)
{
	struct rng rng = { test_seed(9) };
	struct rbmap_subbuf sb;
	int corrupt = 0;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct live_ring *live = live_new(SLOTS, SUBBUF, false, 0, 1);
		struct look look;

		for (int i = 0; i < 30; i++)
			live_emit(live, i);
		look_begin(&look, live);
		for (int i = 0; i < 50; i++) {
			struct rbmap_table_slot *slot =
				&live->slot_table->slot[rng_below(&rng, SLOTS)];
			struct rbmap_subbuf_header *header = (void *)
				(live->data + SUBBUF * rng_below(&rng, SLOTS + 1));

			switch (rng_below(&rng, 6)) {
			case 0:
				live->slot_table->newest += rng_below(&rng, 9) - 4;
				break;
			case 1:
				slot->slot ^= 1ULL << rng_below(&rng, 64);
				break;
			case 2:
				slot->slot ^= rng_below(&rng, 8) << 4;
				break;
			case 3:
				slot->slot = RBMAP_TABLE_SLOT(live->slot_table->newest,
							      rng_next(&rng) & 0xffff);
				break;
			case 4:
				header->commit = rng_below(&rng, 2 * SUBBUF);
				break;
			case 5:
				live->slot_table->newest = rng_next(&rng);
				break;
			}
			corrupt += rbmap_next_subbuf(&look.map, &sb) ==
				   RBMAP_ERR_CORRUPT;
			rbmap_observe_pending(&look.map);
			rbmap_observe_hurries(&look.map);
		}
		look_end(&look);
		live_free(live);
	}
	assert_true(corrupt > 0);
}

/* A sub-buffer that cannot be read is reported once, and those behind it are read. */
static void test_corrupt_subbuf(void **state)
{
	struct live_ring *live = live_new(SLOTS, SUBBUF, false, 0, 1);
	struct rbmap_event ev;
	struct look look;
	uint64_t number = 0;
	uint32_t id;

	(void)state;
	look_begin(&look, live);
	while (live->slot_table->newest < 3)
		live_emit(live, number++);
	id = RBMAP_TABLE_ID(live->slot_table->slot[1].slot);
	((struct rbmap_subbuf_header *)(live->data + SUBBUF * id))->commit = SUBBUF;
	for (uint64_t i = 0; i < live->slot_table->slot[1].events; i++)
		assert_int_equal(rbmap_next_event(&look.map, &ev), 1);
	assert_int_equal(rbmap_next_event(&look.map, &ev), RBMAP_ERR_CORRUPT);
	assert_int_equal(rbmap_next_event(&look.map, &ev), 1);
	assert_int_equal(ev.ts, live->slot_table->slot[2].events);
	assert_true(ev.lost == RBMAP_LOST_UNKNOWN);
	look_end(&look);
	live_free(live);
}

static void test_refuses(void **state)
{
	struct live_ring *live = live_new(SLOTS, SUBBUF, false, 0, 1);
	const uint64_t modulus = live->slot_table->modulus;
	struct look look = { .map.transport = &transport };

	(void)state;
	map_live(&look, live);
	assert_int_equal(rbmap_observer_new(&look.map), 0);
	live->slot_table->modulus = 0;
	assert_int_equal(rbmap_observer_init(&look.map, live->slot_table),
			 RBMAP_ERR_CORRUPT);
	live->slot_table->modulus = UINT64_MAX;
	assert_int_equal(rbmap_observer_init(&look.map, live->slot_table),
			 RBMAP_ERR_CORRUPT);
	live->slot_table->modulus = modulus;
	live->slot_table->newest = modulus;
	assert_int_equal(rbmap_observer_init(&look.map, live->slot_table),
			 RBMAP_ERR_CORRUPT);
	/* Generations count from 1. */
	live->slot_table->newest = 0;
	live->meta->generation = 0;
	assert_int_equal(rbmap_observer_init(&look.map, live->slot_table),
			 RBMAP_ERR_CORRUPT);
	look_end(&look);
	live_free(live);
}

/* ---- threads */

static struct live_ring *live_threads;
static bool done;

static void *look_thread(void *data)
{
	struct look *look = data;
	static const char *wrong;

	while (!wrong && !__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		wrong = look_on(look, UINT64_MAX);
	return (void *)(wrong ? wrong : look_on(look, UINT64_MAX));
}

static void *read_thread(void *data)
{
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		live_read(data);
	return NULL;
}

/*
 * With two slots, most copies are overwritten while they are made. RBMAP_TEST_SHORT=1: a
 * tenth of the events.
 */
static void test_threads(void **state)
{
	const uint64_t events = getenv("RBMAP_TEST_SHORT") ? 200000 : 2000000;
	uint64_t got = 0, lost = 0;

	(void)state;
	for (int round = 0; round < 4; round++) {
		pthread_t thread[3], reader;
		struct look look[3];

		done = false;
		live_threads = live_new(round & 1 ? 2 : 16,
					round & 2 ? 4096 : SUBBUF, false, 0, 1);
		for (int i = 0; i < 3; i++) {
			look_begin(&look[i], live_threads);
			pthread_create(&thread[i], NULL, look_thread, &look[i]);
		}
		pthread_create(&reader, NULL, read_thread, live_threads);
		for (uint64_t i = 0; i < events; i++)
			live_emit(live_threads, i);
		__atomic_store_n(&done, true, __ATOMIC_RELEASE);
		pthread_join(reader, NULL);
		for (int i = 0; i < 3; i++) {
			void *wrong;

			pthread_join(thread[i], &wrong);
			if (wrong)
				fail_msg("round %d: event %lu: %s", round,
					 look[i].got + look[i].lost,
					 (const char *)wrong);
			assert_int_equal(look[i].got + look[i].lost, events);
			got += look[i].got;
			lost += look[i].lost;
			look_end(&look[i]);
		}
		live_free(live_threads);
	}
	printf("# %lu events seen, %lu missed\n", got, lost);
	assert_true(got > 0);
}

/* Merge observed rings of several CPUs in order of time. */
static void test_merge(void **state)
{
	struct rbmap_merge *merge = rbmap_merge_new(NULL);
	struct live_ring *live[3];
	struct rbmap_event ev;
	struct look look[3];
	uint64_t number;

	(void)state;
	for (int i = 0; i < 3; i++) {
		live[i] = live_new(SLOTS, 4096, false, 0, 1);
		look_begin(&look[i], live[i]);
		look[i].map.cpu = i;
		assert_int_equal(rbmap_merge_add(merge, &look[i].map), 0);
	}
	for (number = 0; number < 60; number++)
		live_emit(live[number * 7 % 11 % 3], number);
	rbmap_merge_set_hold(merge, 0);
	for (number = 0; number < 60; number++) {
		assert_int_equal(rbmap_merge_next(merge, &ev), 1);
		assert_int_equal(ev.ts, number);
		assert_int_equal(ev.cpu, number * 7 % 11 % 3);
	}
	assert_int_equal(rbmap_merge_next(merge, &ev), 0);
	assert_int_equal(rbmap_merge_wait(merge, 0), 0);
	assert_int_equal(rbmap_merge_wait(merge, 15), 0);
	live_emit(live[1], number);
	assert_int_equal(rbmap_merge_wait(merge, -1), 1);
	assert_int_equal(rbmap_merge_next(merge, &ev), 1);
	assert_int_equal(ev.ts, number);
	for (int i = 0; i < 3; i++)
		live_free(live[i]);
	rbmap_merge_close(merge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_takes_nothing),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_overwritten_after_reset),
		cmocka_unit_test(test_older),
		cmocka_unit_test(test_next_ring_overwritten),
		cmocka_unit_test(test_next_ring),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_corrupt_subbuf),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
