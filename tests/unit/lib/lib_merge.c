// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the merge: all events, each once, in order of time, and none held for ever.
 * The test sets the time, so that it can make writers late.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib_synth.h"
#include "merge.h"

#define SUBBUF		512
#define SLOTS		64
#define HOLD_US		1000
#define HOLD_NS		(HOLD_US * 1000ULL)
#define MAX_CPUS	8

static uint64_t time_ns;

static uint64_t test_clock(void)
{
	return time_ns;
}

struct world {
	struct rbmap_merge *merge;
	struct fake_ring *ring[MAX_CPUS];
	unsigned int nr;
};

static void world_begin(struct world *w, unsigned int nr)
{
	time_ns = 1000000000;
	w->nr = nr;
	w->merge = rbmap_merge_new(test_clock);
	rbmap_merge_set_hold(w->merge, HOLD_US);
	for (unsigned int i = 0; i < nr; i++) {
		w->ring[i] = fake_new(i, SUBBUF, SLOTS);
		w->ring[i]->clock = test_clock;
		assert_int_equal(rbmap_merge_add(w->merge, &w->ring[i]->map), 0);
	}
}

static void world_end(struct world *w)
{
	rbmap_merge_close(w->merge);
	for (unsigned int i = 0; i < w->nr; i++)
		fake_free(w->ring[i]);
}

static bool next(struct world *w, struct rbmap_event *ev)
{
	int ret = rbmap_merge_next(w->merge, ev);

	assert_true(ret == 0 || ret == 1);
	return ret;
}

static void test_by_time_then_by_cpu(void **state)
{
	struct rbmap_event ev;
	struct world w;

	(void)state;
	world_begin(&w, 3);
	fake_emit(w.ring[2], 100, 0);
	fake_emit(w.ring[2], 100, 1);
	fake_emit(w.ring[2], 102, 2);
	fake_emit(w.ring[0], 101, 0);
	fake_emit(w.ring[0], 102, 1);
	fake_emit(w.ring[1], 102, 0);

	static const struct { int cpu; uint64_t ts, number; } want[] = {
		{ 2, 100, 0 }, { 2, 100, 1 }, { 0, 101, 0 }, { 0, 102, 1 },
		{ 1, 102, 0 }, { 2, 102, 2 },
	};
	for (size_t i = 0; i < 6; i++) {
		assert_true(next(&w, &ev));
		assert_int_equal(ev.cpu, want[i].cpu);
		assert_int_equal(ev.ts, want[i].ts);
		assert_int_equal(event_number(&ev), want[i].number);
	}
	assert_false(next(&w, &ev));
	world_end(&w);
}

/* An event is held for the hold time only, even if the other CPUs are idle. */
static void test_an_idle_cpu_holds_nothing_for_ever(void **state)
{
	struct rbmap_event ev;
	struct world w;

	(void)state;
	world_begin(&w, 4);
	fake_emit(w.ring[1], time_ns, 7);
	assert_false(next(&w, &ev));
	time_ns += HOLD_NS - 1000;
	assert_false(next(&w, &ev));
	time_ns += 1000;
	assert_true(next(&w, &ev));
	assert_int_equal(event_number(&ev), 7);
	assert_false(next(&w, &ev));

	/* If the ring's time is absurd, our own clock limits the wait. */
	fake_emit(w.ring[1], time_ns + (1ULL << 50), 8);
	assert_false(next(&w, &ev));
	time_ns += HOLD_NS;
	assert_true(next(&w, &ev));
	world_end(&w);
}

static void test_release_at_the_end(void **state)
{
	struct rbmap_event ev;
	struct world w;

	(void)state;
	world_begin(&w, 3);
	for (int i = 0; i < 100; i++)
		fake_emit(w.ring[i % 2], time_ns + i, i);
	assert_false(next(&w, &ev));
	rbmap_merge_set_hold(w.merge, 0);
	for (int i = 0; i < 100; i++) {
		assert_true(next(&w, &ev));
		assert_int_equal(event_number(&ev), i);
	}
	assert_false(next(&w, &ev));
	world_end(&w);
}

/* Events of a full ring are not held: order matters less than losses. */
static void test_a_filled_ring_is_not_held(void **state)
{
	uint64_t one = 1;
	struct rbmap_event ev;
	struct world w;

	(void)state;
	world_begin(&w, 2);
	for (int i = 0; i < 100; i++)
		fake_emit(w.ring[0], time_ns + i, i);
	assert_false(next(&w, &ev));
	assert_int_equal(write(w.ring[0]->map.fd, &one, sizeof(one)), 8);
	for (int i = 0; i < 100; i++)
		assert_true(next(&w, &ev));
	world_end(&w);
}

/* Events older than the hold time are returned at once. */
static void test_a_backlog_is_not_held(void **state)
{
	struct rbmap_event ev;
	unsigned int calls;
	struct world w;

	(void)state;
	world_begin(&w, 2);
	for (int i = 0; i < 1000; i++)
		fake_emit(w.ring[0], time_ns - 1000000000 + i, i);
	calls = w.ring[1]->calls;
	for (int i = 0; i < 1000; i++)
		assert_true(next(&w, &ev));
	assert_false(next(&w, &ev));
	/* GET_READER is not called on the idle ring for each of these events. */
	assert_true(w.ring[1]->calls - calls < 4);
	world_end(&w);
}

static void test_wait_sleeps_until_the_hold_is_over(void **state)
{
	struct rbmap_event ev;
	struct world w;

	(void)state;
	world_begin(&w, 2);
	assert_int_equal(rbmap_merge_wait(w.merge, 0), 0);
	fake_emit(w.ring[0], time_ns, 0);
	assert_false(next(&w, &ev));
	/* The call returns after 1 ms of real time, long before 10 s. */
	assert_int_equal(rbmap_merge_wait(w.merge, 10000), 1);
	assert_int_equal(rbmap_merge_wait(w.merge, 0), 0);
	time_ns += HOLD_NS;
	assert_int_equal(rbmap_merge_wait(w.merge, -1), 1);
	assert_true(next(&w, &ev));
	world_end(&w);
}

static void test_a_ring_that_goes(void **state)
{
	struct rbmap_event ev;
	struct rbmap_loss loss;
	struct world w;

	(void)state;
	world_begin(&w, 2);
	for (int i = 0; i < 5; i++)
		fake_emit(w.ring[0], i, i);
	w.ring[1]->error = -EINTR;
	assert_int_equal(rbmap_merge_next(w.merge, &ev), -EINTR);
	assert_int_equal(ev.cpu, 1);
	w.ring[1]->error = 0;
	for (int i = 0; i < 5; i++)
		assert_true(next(&w, &ev));
	assert_int_equal(rbmap_merge_loss(w.merge, &loss), 0);
	assert_int_equal(loss.total, 0);
	world_end(&w);
}

/* The losses of a CPU's last ring stay in the sum. */
static void test_losses_of_a_ring_that_goes(void **state)
{
	uint64_t lost = 0, told = 0;
	struct rbmap_event ev;
	struct rbmap_loss loss;
	struct world w;
	int ret;

	(void)state;
	world_begin(&w, 2);
	for (int i = 0; !lost || i % 1000; i++) {
		fake_emit(w.ring[1], i, i);
		lost = w.ring[1]->meta->overrun;
	}
	assert_true(lost > 0);
	w.ring[1]->next_slots = w.ring[1]->nr_slots;
	w.ring[1]->meta->retired = RBMAP_RETIRED_LAST;
	rbmap_merge_set_hold(w.merge, 0);
	while ((ret = rbmap_merge_next(w.merge, &ev)) == 1)
		told += ev.lost;
	assert_int_equal(ret, RBMAP_ERR_GONE);
	assert_int_equal(ev.cpu, 1);
	assert_int_equal(told, lost);
	for (int i = 0; i < 2; i++) {
		assert_false(next(&w, &ev));
		assert_int_equal(rbmap_merge_loss(w.merge, &loss), 0);
		assert_int_equal(loss.overrun, lost);
		assert_int_equal(loss.total, lost);
		assert_int_equal(loss.reported, lost);
	}
	world_end(&w);
}

/* Each sum has the losses of all CPUs. */
static void test_losses_of_all_rings(void **state)
{
	struct rbmap_loss loss;
	struct world w;

	(void)state;
	world_begin(&w, 3);
	for (int i = 0; i < 3; i++) {
		fake_losses(w.ring[i], 1 + i);
		w.ring[i]->meta->lost = w.ring[i]->meta->dropped_full;
		w.ring[i]->meta->lost_reported = 1;
	}
	assert_int_equal(rbmap_merge_loss(w.merge, &loss), 0);
	assert_losses(&loss, 1 + 2 + 3);
	assert_int_equal(loss.unreported, 1 + 3 + 5);
	world_end(&w);
}

/* Return what all CPUs have lost behind the last event that was returned. */
static uint64_t lost_last(struct world *w)
{
	uint64_t lost, sum = 0;
	unsigned int i;
	int cpu;

	for (i = 0; rbmap_merge_lost_last(w->merge, i, &cpu, &lost); i++) {
		assert_int_equal(cpu, i);
		sum += lost;
	}
	assert_int_equal(i, 2);
	return sum;
}

/* At each place the losses of the events and those behind them are all losses. */
static void test_losses_behind_the_last_event(void **state)
{
	uint64_t told = 0, events = 0, written = 0;
	struct rbmap_event ev;
	struct rbmap_loss loss;
	struct world w;

	(void)state;
	world_begin(&w, 2);
	rbmap_merge_set_hold(w.merge, 0);
	assert_int_equal(lost_last(&w), 0);
	for (; !w.ring[1]->meta->overrun; written++)
		fake_emit(w.ring[written % 2], written, written);
	/* Dropped, and no event has come since. */
	w.ring[1]->meta->dropped_full = 7;
	for (int i = 0; i < 2; i++)
		w.ring[i]->meta->lost = w.ring[i]->meta->overrun + w.ring[i]->meta->dropped_full;
	while (next(&w, &ev)) {
		events++;
		told += ev.lost;
		rbmap_merge_loss(w.merge, &loss);
		assert_int_equal(told + lost_last(&w), loss.total);
	}
	assert_int_equal(told, written - events);
	assert_true(told > 0);
	assert_int_equal(lost_last(&w), 7);
	world_end(&w);
}

/* The other rings go on, and a wait does not touch the ring that is not mapped. */
static void test_a_ring_that_cannot_be_mapped(void **state)
{
	struct rbmap_event ev;
	struct rbmap_loss loss;
	struct world w;

	(void)state;
	world_begin(&w, 2);
	fake_emit(w.ring[0], time_ns, 0);
	w.ring[1]->next_slots = w.ring[1]->nr_slots;
	w.ring[1]->next_subbuf_size = w.ring[1]->meta->subbuf_size;
	w.ring[1]->next_error = -ENOMEM;
	assert_int_equal(rbmap_merge_next(w.merge, &ev), -ENOMEM);
	assert_int_equal(ev.cpu, 1);
	assert_true(next(&w, &ev));
	assert_int_equal(event_number(&ev), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rbmap_merge_next(w.merge, &ev), -ENOMEM);
		assert_int_equal(ev.cpu, 1);
		assert_int_equal(rbmap_merge_wait(w.merge, 0), 0);
		assert_int_equal(rbmap_merge_loss(w.merge, &loss), 0);
	}
	w.ring[1]->next_error = 0;
	assert_false(next(&w, &ev));
	fake_emit(w.ring[1], time_ns, 1);
	time_ns += HOLD_NS;
	assert_true(next(&w, &ev));
	assert_int_equal(ev.cpu, 1);
	world_end(&w);
}

static void *wake_thread(void *merge)
{
	usleep(10000);
	errno = ERANGE;
	return (void *)(intptr_t)(rbmap_merge_wake(merge) || errno != ERANGE);
}

static void test_wake(void **state)
{
	pthread_t thread;
	void *wrong;
	struct world w;

	(void)state;
	world_begin(&w, 2);
	/* A wait that begins later ends, too, and only one. */
	assert_int_equal(rbmap_merge_wake(w.merge), 0);
	assert_int_equal(rbmap_merge_wake(w.merge), 0);
	assert_int_equal(rbmap_merge_wait(w.merge, -1), 0);
	assert_int_equal(rbmap_merge_wait(w.merge, 0), 0);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(pthread_create(&thread, NULL, wake_thread, w.merge), 0);
		assert_int_equal(rbmap_merge_wait(w.merge, -1), 0);
		pthread_join(thread, &wrong);
		assert_null(wrong);
	}
	world_end(&w);
}

/* An event that has its time stamp but is not committed yet. */
struct late {
	uint64_t ts, number, until;
	bool pending;
};

/*
 * Random writers, whose events take up to the hold time from stamp to commit.  The
 * events of a CPU keep their order, because nested events are committed together.
 */
static void live_round(struct rng *rng, bool timed, uint64_t in_flight)
{
	struct late late[MAX_CPUS] = { 0 };
	uint64_t emitted[MAX_CPUS] = { 0 }, got[MAX_CPUS] = { 0 };
	uint64_t last = 0, all = 0, total = 0;
	unsigned int weight[MAX_CPUS];
	struct rbmap_event ev;
	struct world w;

	world_begin(&w, 1 + rng_below(rng, MAX_CPUS));
	for (unsigned int i = 0; i < w.nr; i++) {
		weight[i] = 1 << rng_below(rng, 9);
		if (!timed)
			w.ring[i]->clock = NULL;
	}
	for (int turn = 0; turn < 4000; turn++) {
		unsigned int i = rng_below(rng, w.nr);

		time_ns += rng_below(rng, 20000);
		for (unsigned int k = 0; k < w.nr; k++) {
			if (late[k].pending && time_ns >= late[k].until) {
				fake_emit(w.ring[k], late[k].ts,
					  late[k].number);
				late[k].pending = false;
			}
		}
		if (!late[i].pending && rng_below(rng, 512) < weight[i]) {
			late[i].ts = time_ns;
			late[i].number = emitted[i]++;
			late[i].until = time_ns + (in_flight ?
					rng_below(rng, in_flight) : 0);
			late[i].pending = true;
			total++;
		}
		while (rng_below(rng, 50) && next(&w, &ev)) {
			assert_true(ev.ts >= last);
			last = ev.ts;
			assert_int_equal(event_number(&ev), got[ev.cpu]);
			got[ev.cpu]++;
			all++;
			assert_int_equal(ev.lost, 0);
		}
	}
	for (unsigned int k = 0; k < w.nr; k++)
		if (late[k].pending)
			fake_emit(w.ring[k], late[k].ts, late[k].number);
	rbmap_merge_set_hold(w.merge, 0);
	while (next(&w, &ev)) {
		assert_true(ev.ts >= last);
		last = ev.ts;
		assert_int_equal(event_number(&ev), got[ev.cpu]);
		got[ev.cpu]++;
		all++;
	}
	assert_int_equal(all, total);
	world_end(&w);
}

static void test_live(void **state)
{
	struct rng rng = { test_seed(5) };

	(void)state;
	for (int round = 0; round < 150; round++)
		live_round(&rng, true, HOLD_NS - 20000);
}

/*
 * Without the ring's time, only events committed at once are in order. RBMAP_TEST_SHORT=1: a
 * fifth of the rounds.
 */
static void test_live_without_time(void **state)
{
	const int rounds = getenv("RBMAP_TEST_SHORT") ? 30 : 150;
	struct rng rng = { test_seed(6) };

	(void)state;
	for (int round = 0; round < rounds; round++)
		live_round(&rng, false, 0);
}

/* A clock in cycles: the merge measures the number of cycles of the hold time. */
static uint64_t test_cycles(void)
{
	return 3 * time_ns;
}

static void test_counter_clock(void **state)
{
	struct rbmap_event ev;
	struct world w;

	(void)state;
	world_begin(&w, 2);
	for (int i = 0; i < 2; i++) {
		w.ring[i]->clock = test_cycles;
		w.ring[i]->meta->clock = RBMAP_CLOCK_X86_TSC;
	}
	for (int i = 0; i < 10; i++) {
		assert_false(next(&w, &ev));
		time_ns += 5000000;
	}
	fake_emit(w.ring[0], test_cycles(), 0);
	assert_false(next(&w, &ev));
	time_ns += HOLD_NS / 2;
	assert_false(next(&w, &ev));
	time_ns += HOLD_NS / 2 + 1000;
	assert_true(next(&w, &ev));
	world_end(&w);
}

/* The file buffer_percent of a world. */
static int percent_file(char *path)
{
	int fd;

	strcpy(path, "/tmp/lib_merge.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	return fd;
}

static int percent(int fd)
{
	char text[8] = "";

	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	return strtol(text, NULL, 10);
}

/* Emit events, a half by each ring, and read them, within a tenth of a second. */
static void some_events(struct world *w, unsigned int nr)
{
	struct rbmap_event ev;

	for (unsigned int i = 0; i < nr; i++) {
		time_ns += 1000;
		fake_emit(w->ring[i % 2], time_ns, i / 2);
		for (int turn = 0; !next(w, &ev); turn++) {
			assert_true(turn < 10);
			time_ns += 50000;
		}
	}
	assert_true(rbmap_merge_wait(w->merge, 0) >= 0);
}

static void test_pace(void **state)
{
	uint64_t one = 1;
	struct rbmap_event ev;
	char path[32];
	struct world w;
	int fd;

	(void)state;
	world_begin(&w, 2);
	fd = percent_file(path);
	assert_int_equal(rbmap_merge_pace(w.merge, "/nowhere/buffer_percent"), -ENOENT);
	assert_int_equal(rbmap_merge_pace(w.merge, path), 0);
	assert_int_equal(percent(fd), 0);

	/* Idle: held for 25 us at most, even if more events wait in the ring */
	fake_emit(w.ring[0], time_ns, 0);
	fake_emit(w.ring[0], time_ns, 1);
	assert_false(next(&w, &ev));
	assert_int_equal(write(w.ring[0]->map.fd, &one, sizeof(one)), 8);
	assert_false(next(&w, &ev));
	time_ns += 24000;
	assert_false(next(&w, &ev));
	time_ns += 1000;
	assert_true(next(&w, &ev));
	assert_true(next(&w, &ev));
	time_ns += 100000000;
	assert_true(rbmap_merge_wait(w.merge, 0) >= 0);

	/* Many events in a tenth of a second: busy, and held as long as usual */
	some_events(&w, 63);
	assert_int_equal(percent(fd), 0);
	some_events(&w, 1);
	assert_int_equal(percent(fd), 50);
	fake_emit(w.ring[1], time_ns, 32);
	assert_false(next(&w, &ev));
	time_ns += HOLD_NS - 1;
	assert_false(next(&w, &ev));
	time_ns++;
	assert_true(next(&w, &ev));

	/* It stays busy until there are few of them. */
	time_ns += 100000000;
	assert_true(rbmap_merge_wait(w.merge, 0) >= 0);
	assert_int_equal(percent(fd), 50);
	time_ns += 100000000;
	assert_true(rbmap_merge_wait(w.merge, 0) >= 0);
	assert_int_equal(percent(fd), 0);
	assert_int_equal(rbmap_merge_pace(w.merge, NULL), 0);
	unlink(path);
	close(fd);
	world_end(&w);
}

static const char *in(const char *dir, const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int count_files(void)
{
	int nr = 0;

	for (int fd = 0; fd < 256; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

/* A CPU that comes online and whose ring cannot be opened hides no other, and is named. */
static void test_rings_that_cannot_be_opened(void **state)
{
	char dir[] = "/tmp/lib_merge.XXXXXX";
	int cpu, before, found = 0;
	struct rbmap_event ev;
	struct rlimit limit, few;
	struct world w;

	(void)state;
	assert_non_null(mkdtemp(dir));
	world_begin(&w, 1);
	w.merge->dir = strdup(dir);
	assert_int_equal(rbmap_merge_unopened(w.merge, 0, &cpu), 0);
	/* No file that a program can make is a ring. */
	assert_int_equal(symlink("cpu5", in(dir, "cpu5")), 0);
	assert_int_equal(mkfifo(in(dir, "cpu7"), 0600), 0);
	assert_int_equal(symlink("cpu0", in(dir, "cpu0")), 0);
	before = count_files();
	rbmap_merge_set_hold(w.merge, 0);
	fake_emit(w.ring[0], time_ns, 1);
	assert_true(next(&w, &ev));
	assert_int_equal(event_number(&ev), 1);
	for (int i = 0; i < 2; i++) {
		int ret = rbmap_merge_unopened(w.merge, i, &cpu);

		assert_true(cpu == 5 || cpu == 7);
		assert_int_equal(ret, cpu == 5 ? -ELOOP : RBMAP_ERR_NOT_RBMAP);
		found += cpu;
	}
	assert_int_equal(found, 5 + 7);
	assert_int_equal(rbmap_merge_unopened(w.merge, 2, &cpu), 0);
	assert_int_equal(count_files(), before);

	/* They are tried again each second. */
	assert_int_equal(unlink(in(dir, "cpu5")), 0);
	time_ns += 2000000000;
	assert_false(next(&w, &ev));
	assert_int_equal(rbmap_merge_unopened(w.merge, 0, &cpu), RBMAP_ERR_NOT_RBMAP);
	assert_int_equal(cpu, 7);
	assert_int_equal(rbmap_merge_unopened(w.merge, 1, &cpu), 0);

	/* Without a free descriptor nobody knows which CPUs there are. */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	rbmap_merge_set_hold(w.merge, 0);
	assert_false(next(&w, &ev));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(rbmap_merge_unopened(w.merge, 0, &cpu), -EMFILE);
	assert_int_equal(cpu, -1);
	assert_int_equal(rbmap_merge_unopened(w.merge, 1, &cpu), 0);

	/* A buffer that has gone has no rings. */
	unlink(in(dir, "cpu7"));
	unlink(in(dir, "cpu0"));
	assert_int_equal(rmdir(dir), 0);
	rbmap_merge_set_hold(w.merge, 0);
	assert_false(next(&w, &ev));
	assert_int_equal(rbmap_merge_unopened(w.merge, 0, &cpu), 0);
	world_end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_time_then_by_cpu),
		cmocka_unit_test(test_an_idle_cpu_holds_nothing_for_ever),
		cmocka_unit_test(test_release_at_the_end),
		cmocka_unit_test(test_a_filled_ring_is_not_held),
		cmocka_unit_test(test_a_backlog_is_not_held),
		cmocka_unit_test(test_wait_sleeps_until_the_hold_is_over),
		cmocka_unit_test(test_a_ring_that_goes),
		cmocka_unit_test(test_losses_of_a_ring_that_goes),
		cmocka_unit_test(test_losses_of_all_rings),
		cmocka_unit_test(test_losses_behind_the_last_event),
		cmocka_unit_test(test_a_ring_that_cannot_be_mapped),
		cmocka_unit_test(test_wake),
		cmocka_unit_test(test_live),
		cmocka_unit_test(test_live_without_time),
		cmocka_unit_test(test_counter_clock),
		cmocka_unit_test(test_pace),
		cmocka_unit_test(test_rings_that_cannot_be_opened),
	};

	return cmocka_run_group_tests_name("lib_merge", tests, NULL, NULL);
}
