// SPDX-License-Identifier: GPL-2.0-only
/* Writing: the file has all events, whatever the pieces they came in. */
#include <stdarg.h>
#include <setjmp.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "dat_fixture.h"

static void test_round_trip(void **state)
{
	(void)state;
	for (int i = 0; i < 30; i++) {
		struct dat_writer *w = create();

		write_random(w, rnd(60));
		finish(w);
		check_random(true);
	}
}

/* The space for names grows with them. A limit on the size of files stands for a full disk. */
static void test_tables(void **state)
{
	struct dat_writer *w = create();
	size_t most = dat_cmdlines_room(), first;
	struct rlimit limit, full;
	struct stat before, after;

	(void)state;
	assert_int_equal(dat_reserve_tables(w, 1000), 1000);
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	full = limit;
	full.rlim_cur = before.st_size;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
	first = dat_reserve_tables(w, most);
	assert_in_range(first, 128 << 10, most / 4);
	assert_int_equal(dat_reserve_tables(w, first), first);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(after.st_size, before.st_size);

	assert_int_equal(dat_reserve_tables(w, most), most);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(after.st_size - before.st_size, most - first);
	assert_int_equal(dat_reserve_tables(w, most), most);
	assert_int_equal(dat_reserve_tables(w, most + 1), most);
	leave_unfinished(w);
}

/* A writer that gets losses before an event: no number, if one of them has none. */
static void test_losses_written(void **state)
{
	static const uint64_t losses[][2] = {
		{ RBMAP_LOST_UNKNOWN, 5 }, { 5, RBMAP_LOST_UNKNOWN }, { 5, 6 },
	};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct rbmap_subbuf only_lost = { .lost = losses[i][0] };
		struct dat_writer *w = create();
		struct rbmap_recording *r = NULL;
		struct rbmap_event ev;
		struct synth s = { 0 };

		assert_int_equal(dat_add(w, 0, &only_lost), 0);
		synth_begin(&s, 5000);
		assert_true(synth_number(&s, 5001, 1, 1));
		add(w, &s, losses[i][1]);
		leave_unfinished(w);
		assemble(false);
		assert_int_equal(dat_open(&r, path), 0);
		assert_int_equal(rbmap_recording_next(r, &ev), 1);
		assert_true(ev.lost == (i == 2 ? 11 : RBMAP_LOST_UNKNOWN));
		rbmap_recording_close(r);
	}
}

/* The file takes the space of its data. */
static void test_size(void **state)
{
	struct dat_writer *w = create();
	uint64_t bytes;
	struct stat st;

	(void)state;
	write_random(w, 50);
	bytes = dat_bytes(w);
	finish(w);
	assert_int_equal(stat(path, &st), 0);
	assert_true((uint64_t)st.st_size >= bytes);
	assert_true((uint64_t)st.st_size <= bytes + (4 << 20));
}

/* A loss before a full sub-buffer has no room for its number in there. */
static void test_lost_without_room(void **state)
{
	struct dat_writer *w = create();
	struct synth s = { 0 };
	struct rbmap_subbuf sb;
	uint64_t nr = 0;

	(void)state;
	nr_expected = 0;
	memset(last_lost, 0, sizeof(last_lost));
	synth_begin(&s, 5000);
	/* 4080 / 20 leaves no byte. */
	while (synth_number(&s, 5000 + 10 * nr, 1, nr)) {
		expected[nr_expected++] = (struct expected){
			.nr = nr, .ts = 5000 + 10 * nr,
		};
		nr++;
	}
	assert_int_equal(s.header.commit, SYNTH_ROOM);
	expected[0].lost = 1234567;
	sb = synth_piece(&s, 1234567);
	assert_int_equal(dat_add(w, 0, &sb), 0);
	finish(w);
	check_random(true);
}

/* A sub-buffer that someone else read a part of: only the rest is ours. */
static void test_begin_in_the_middle(void **state)
{
	struct dat_writer *w = create();
	struct synth s = { 0 };
	struct rbmap_subbuf sb;

	(void)state;
	nr_expected = 0;
	memset(last_lost, 0, sizeof(last_lost));
	synth_begin(&s, 5000);
	for (uint64_t nr = 0; nr < 10; nr++)
		synth_number(&s, 5000 + (nr << 30), 1, nr);
	sb = synth_piece(&s, 0);
	for (uint64_t nr = 10; nr < 20; nr++) {
		synth_number(&s, 5000 + (nr << 30), 1, nr);
		expected[nr_expected++] = (struct expected){
			.nr = nr, .ts = 5000 + (nr << 30), .cpu = 1,
		};
	}
	sb = synth_piece(&s, 0);
	assert_true(sb.offset > 0);
	assert_int_equal(dat_add(w, 1, &sb), 0);
	finish(w);
	check_random(true);
}

/* Add an event to those that the file must contain. */
static void expect(uint64_t nr, uint64_t ts, size_t size, int cpu)
{
	size_t head = size % 4 || size / 4 > RBMAP_TYPE_LEN_MAX ? 8 : 4;

	if (head + (size + 3) / 4 * 4 > SYNTH_ROOM) {
		last_lost[cpu]++;
		return;
	}
	assert_true(nr_expected < MAX_EXPECTED);
	expected[nr_expected++] = (struct expected){
		.nr = nr, .ts = ts, .size = size, .cpu = cpu,
		.lost = last_lost[cpu],
	};
	last_lost[cpu] = 0;
}

static void begin_split(void)
{
	nr_expected = 0;
	memset(last_lost, 0, sizeof(last_lost));
}

/*
 * An event of each size around that of a page, at each place around its end,
 * with a loss before it and without, in one piece and in two.
 */
static void test_split_boundaries(void **state)
{
	static struct synth s = { .room = SYNTH_LARGEST - 16 };
	uint64_t ts = 1000, nr = 0, too_large = 0;

	(void)state;
	for (size_t before = 0; before < 5; before++) {
		struct dat_writer *w = create();

		begin_split();
		for (size_t at = 4000; at <= 4100; at += 4)
		for (size_t size = 4020; size <= 4090; size += 1 + size % 3)
		for (unsigned int way = 0; way < 4; way++) {
			uint64_t lost = way & 1 ? 77 : 0;
			size_t fill = before ? at / before : 0;

			/* Only with something before it is its place another. */
			if (!before && at > 4000)
				continue;
			if (nr_expected > MAX_EXPECTED - 20)
				continue;
			if (before > 1 && (size + at / 4) % 16)
				continue;
			synth_begin(&s, ts);
			last_lost[0] += lost;
			for (size_t i = 0; i < before; i++) {
				expect(nr, ts, fill, 0);
				assert_true(synth_add(&s, ts, fill_payload(nr, fill),
						      fill));
				nr++;
				ts += 3;
			}
			if (way & 2 && before) {
				add(w, &s, lost);
				lost = 0;
			}
			expect(nr, ts, size, 0);
			assert_true(synth_add(&s, ts, fill_payload(nr, size), size));
			nr++;
			ts += 1 + (way << 28);
			expect(nr, ts, 16, 0);
			assert_true(synth_add(&s, ts, fill_payload(nr, 16), 16));
			nr++;
			add(w, &s, lost);
		}
		assert_int_equal(dat_unwritten(w), 0);
		too_large += dat_too_large(w);
		finish(w);
		check_random(true);
	}
	assert_true(too_large > 50);
}

/* Rings of all sizes, one after the other, with all that stands in them. */
static void test_split_random(void **state)
{
	static struct synth s[NR_CPUS];
	static struct rbmap_subbuf sb;
	uint64_t too_large = 0;

	(void)state;
	for (int round = 0; round < 40; round++) {
		struct dat_writer *w = create();
		uint64_t ts = ((1 + rnd(2)) << 59) - rnd(1ULL << 34), nr = 0, lost;

		begin_split();
		for (unsigned int n = rnd(40); n; n--) {
			unsigned int cpu = rnd(NR_CPUS), fill = rnd(4) ? 5000 :
								rnd(100);
			bool middle = !rnd(8);
			size_t at = 0;

			s[cpu].room = ((size_t)SYNTH_SUBBUF << rnd(5)) - 16;
			lost = rnd(2) ? rnd(5000) : 0;
			synth_begin(&s[cpu], ts);
			if (middle) {
				/* Someone else has read it up to here. */
				for (uint64_t k = rnd(300); k; k--)
					synth_number(&s[cpu], ts += rnd(1 << 28),
						     1, 0);
				synth_piece(&s[cpu], 0);
				at = s[cpu].told;
			}
			last_lost[cpu] += lost;
			while (fill--) {
				size_t size = 16 + rnd(rnd(4) ? 40 : rnd(30) ?
						       1000 : 9000);
				uint64_t time = ts + 1 + rnd(rnd(20) ? 1000 : 1 << 30);

				if (!rnd(6))
					synth_padding(&s[cpu], 1 + rnd(9), 8 + 4 *
						      rnd(rnd(9) ? 20 : 1500));
				if (time < s[cpu].ts)
					time = s[cpu].ts;
				if (!synth_add_as(&s[cpu], RBMAP_TYPE_TIME_EXTEND +
						  !rnd(4), time,
						  fill_payload(nr, size), size) ||
				    nr_expected > MAX_EXPECTED - 2)
					break;
				ts = time;
				expect(nr++, ts, size, cpu);
				if (rnd(40))
					continue;
				if (!rnd(3))
					synth_padding(&s[cpu], 1 + rnd(9), 8 + 4 *
						      rnd(1500));
				sb = synth_piece(&s[cpu], lost);
				assert_int_equal(dat_add(w, cpu, &sb), 0);
				lost = 0;
			}
			ts = s[cpu].ts;
			sb = synth_piece(&s[cpu], lost);
			assert_true(sb.offset >= at);
			assert_int_equal(dat_add(w, cpu, &sb), 0);
			if (!rnd(3))
				dat_next_ring(w, cpu);
		}
		too_large += dat_too_large(w);
		finish(w);
		check_random(true);
	}
	assert_true(too_large > 10);
}

/* Another ring's sub-buffer with the same id, read by someone to the same place. */
static void test_next_ring(void **state)
{
	struct dat_writer *w = create();
	static struct synth s[2];
	struct rbmap_subbuf sb;

	(void)state;
	begin_split();
	for (uint64_t i = 0; i < 2; i++) {
		synth_begin(&s[i], 5000 + i * 1000);
		for (uint64_t nr = 0; nr < 4; nr++) {
			synth_number(&s[i], 5000 + i * 1000 + nr, 1, nr);
			if (nr == 1) {
				sb = synth_piece(&s[i], 0);
				if (!i)
					assert_int_equal(dat_add(w, 0, &sb), 0);
			}
			if (!i && nr < 2)
				expect(nr, 5000 + nr, 16, 0);
			if (i && nr > 1)
				expect(nr, 6000 + nr, 16, 0);
		}
	}
	dat_next_ring(w, 0);
	sb = synth_piece(&s[1], 0);
	assert_int_equal(dat_add(w, 0, &sb), 0);
	finish(w);
	check_random(true);
}

/* Create a file that may grow to @size bytes. Return the limit before. */
static struct rlimit create_limited(struct dat_writer **w, rlim_t size)
{
	struct dat_source source = synth_source(1);
	struct rlimit old, limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(dat_create(w, path, &source), 0);
	return old;
}

/* The file must have those of @nr events that do not count as unwritten. */
static void check_limited(struct dat_writer *w, const struct rlimit *old, uint64_t nr)
{
	nr -= dat_unwritten(w);
	leave_unfinished(w);
	/* Both do not fit in one file. */
	assert_int_equal(assemble_until(false, 2), -EFBIG);
	assert_int_equal(count_events(), nr);
	setrlimit(RLIMIT_FSIZE, old);
	assert_int_equal(assemble_until(false, 2), 0);
	assert_int_equal(count_events(), nr);
	assert_int_equal(nr_files(), 1);
}

static int pipe_of(struct synth *s, unsigned int pages)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	for (unsigned int i = 0; i < pages; i++)
		assert_int_equal(write(ends[1], s[i].bytes, SYNTH_SUBBUF), SYNTH_SUBBUF);
	close(ends[1]);
	return ends[0];
}

/* Some sub-buffers come in pieces, others whole through a pipe. */
static void test_pipe(void **state)
{
	struct dat_writer *w = create();
	static struct synth s[4];
	uint64_t nr = 0;

	(void)state;
	nr_expected = 0;
	memset(last_lost, 0, sizeof(last_lost));
	for (unsigned int turn = 0; turn < 40; turn++) {
		unsigned int pages = 1 + rnd(4);
		uint64_t first = nr;
		int from;

		for (unsigned int i = 0; i < pages; i++) {
			synth_begin(&s[i], 5000 + nr);
			while (rnd(300) && synth_number(&s[i], 5000 + nr, 1, nr)) {
				expect(nr, 5000 + nr, 0, 0);
				nr++;
			}
		}
		if (turn % 3) {
			from = pipe_of(s, pages);
			assert_int_equal(dat_add_pipe(w, 0, from, pages * SYNTH_SUBBUF,
						      nr - first), 0);
			close(from);
		} else {
			for (unsigned int i = 0; i < pages; i++)
				add(w, &s[i], 0);
		}
	}
	assert_int_equal(dat_unwritten(w), 0);
	finish(w);
	check_random(true);
}

/* No space for all of a pipe: each event is there or counted. */
static void test_pipe_limit(void **state)
{
	struct dat_writer *w = NULL;
	struct rlimit old = create_limited(&w, (4 << 20) + 6 * SYNTH_SUBBUF + 100);
	static struct synth s[4];
	uint64_t nr = 0;
	int ret = 0;

	(void)state;
	while (!ret) {
		uint64_t first = nr;
		int from;

		for (unsigned int i = 0; i < 4; i++) {
			synth_begin(&s[i], 5000 + nr);
			while (synth_number(&s[i], 5000 + nr, 1, nr))
				nr++;
		}
		from = pipe_of(s, 4);
		ret = dat_add_pipe(w, 0, from, 4 * SYNTH_SUBBUF, nr - first);
		close(from);
		assert_true(nr < 100000000);
	}
	assert_int_equal(ret, -EFBIG);
	assert_true(dat_unwritten(w) > 0);
	assert_true(nr - dat_unwritten(w) > 1000);
	check_limited(w, &old, nr);
}

/* No space in the middle of a sub-buffer: each event is there or counted. */
static void test_split_limit(void **state)
{
	struct dat_writer *w = NULL;
	struct rlimit old = create_limited(&w, (4 << 20) + 5 * SYNTH_SUBBUF);
	static struct synth s = { .room = SYNTH_LARGEST - 16 };
	struct rbmap_subbuf sb;
	uint64_t nr = 0;
	int ret = 0;

	(void)state;
	while (!ret) {
		synth_begin(&s, 5000 + nr);
		while (synth_add(&s, 5000 + nr, fill_payload(nr, 1000), 1000))
			nr++;
		sb = synth_piece(&s, 0);
		ret = dat_add(w, 0, &sb);
	}
	assert_int_equal(ret, -EFBIG);
	check_limited(w, &old, nr);
}

/* A file that may not grow: what was written stays, and can be read. */
static void test_limit(void **state)
{
	struct dat_source source = synth_source(1);
	struct dat_writer *w = NULL;
	struct rlimit old = create_limited(&w, 4 << 20), limit = old;
	struct synth s = { 0 };
	struct rbmap_subbuf sb;
	uint64_t nr = 0;
	int ret = 0;

	(void)state;
	while (!ret) {
		synth_begin(&s, 5000 + nr);
		while (synth_number(&s, 5000 + nr, 1, nr))
			nr++;
		sb = synth_piece(&s, 0);
		ret = dat_add(w, 0, &sb);
		assert_true(nr < 100000000);
	}
	assert_int_equal(ret, -EFBIG);
	assert_true(nr - dat_unwritten(w) > 1000);
	check_limited(w, &old, nr);

	limit.rlim_cur = 100 << 10;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(dat_create(&w, path, &source), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(nr_files(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_losses_written),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_lost_without_room),
		cmocka_unit_test(test_begin_in_the_middle),
		cmocka_unit_test(test_split_boundaries),
		cmocka_unit_test(test_split_random),
		cmocka_unit_test(test_next_ring),
		cmocka_unit_test(test_split_limit),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_pipe_limit),
		cmocka_unit_test(test_limit),
	};
	int ret;

	if (!begin_recordings())
		return 1;
	ret = cmocka_run_group_tests_name("cli_dat_write", tests, NULL, NULL);
	unlink(path);
	return ret;
}
