// SPDX-License-Identifier: GPL-2.0-only
/*
 * The moments of a recording, and times as users write and read them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "print/columns.h"
#include "recording/dat_correction.h"
#include "recording/write/stat_texts.h"

#define SEC		1000000000ULL
#define REAL		(1764165792 * SEC)	/* 2025-11-26 14:03:12 UTC */
#define RING		(5000 * SEC)

static struct dat_times recorded(uint64_t ring_ns)
{
	return (struct dat_times){
		.begin = { .ring = RING, .real = REAL, .boot = RING, .error = 10 },
		.end = { .ring = RING + ring_ns, .real = REAL + 100 * SEC,
			 .boot = RING + 100 * SEC, .tai_offset = 37 },
	};
}

static struct time_view view_of(const struct dat_times *times, bool is_counter)
{
	struct time_view view = { 0 };

	assert_true(time_view_init(&view, times, is_counter));
	return view;
}

static void test_text(void **state)
{
	struct dat_times times = recorded(100 * SEC), parsed = { 0 };
	struct buf text = { 0 };

	(void)state;
	memset(times.reason, 'r', sizeof(times.reason) - 1);
	dat_times_print(&times, &text);
	assert_true(dat_times_parse(&parsed, text.data));
	assert_memory_equal(&times, &parsed, sizeof(times));
	buf_free(&text);

	times = (struct dat_times){ 0 };
	dat_times_print(&times, &text);
	assert_int_equal(text.size, 0);
	buf_free(&text);
}

/* A file can have any text. */
static void test_other_text(void **state)
{
	struct dat_times times = recorded(1), before = times;

	(void)state;
	assert_false(dat_times_parse(&times, ""));
	assert_false(dat_times_parse(&times, "CPU: 0\nentries: 1\n"));
	assert_memory_equal(&times, &before, sizeof(times));
	assert_true(dat_times_parse(&times, "Times of the recording\n"
				    "begin: ring 1 real\nother: ring 1 real 1 boot 1 tai 1 error 1\n"
				    "reason: a\nreason: b \n\nend: ring x\ntrigger: ring 7 real 8 boot 9 tai -1 error 2"));
	assert_int_equal(times.begin.real, 0);
	assert_int_equal(times.end.real, 0);
	assert_int_equal(times.trigger.ring, 7);
	assert_int_equal(times.trigger.tai_offset, -1);
	assert_string_equal(times.reason, "b ");
}

static void test_unknown(void **state)
{
	struct time_view view = { 0 };
	struct dat_times none = { 0 }, one = recorded(0);

	(void)state;
	assert_false(time_view_init(&view, &none, false));
	/* One moment does not say how fast a counter counts. */
	assert_false(time_view_init(&view, &one, true));
	assert_true(time_view_init(&view, &one, false));
}

static void test_rates(void **state)
{
	struct dat_times times = recorded(100 * SEC);
	struct time_view view = view_of(&times, false);

	(void)state;
	assert_int_equal(time_view_real(&view, RING + 7), REAL + 7);
	assert_int_equal(time_view_ring(&view, REAL + 7), RING + 7);
	assert_int_equal(time_view_ring(&view, 1), 0);

	/* The ring's clock gains 100 ppm. */
	times = recorded(100 * SEC + 10000000);
	view = view_of(&times, false);
	assert_int_equal(time_view_real(&view, RING), REAL);
	assert_int_equal(time_view_real(&view, RING + 50 * SEC + 5000000), REAL + 50 * SEC);

	/* The wall clock was set: the end counts. */
	times.end.real += 3600 * SEC;
	view = view_of(&times, false);
	assert_int_equal(time_view_real(&view, times.end.ring - SEC), times.end.real - SEC);
	times.end.real -= 7200 * SEC;
	view = view_of(&times, false);
	assert_int_equal(time_view_real(&view, times.end.ring - SEC), times.end.real - SEC);
}

static void test_counter(void **state)
{
	struct dat_times times = recorded(300 * SEC);	/* 3 cycles are 1 ns */
	struct time_view view = view_of(&times, true);

	(void)state;
	assert_int_equal(time_view_real(&view, RING + 30 * SEC), REAL + 10 * SEC);
	assert_int_equal(time_view_ring(&view, REAL + 10 * SEC), RING + 30 * SEC);
	times.end.real += 3600 * SEC;
	view = view_of(&times, true);
	assert_int_equal(time_view_real(&view, times.end.ring - 30 * SEC),
			 times.end.real - 10 * SEC);
}

/* A snapshot is frozen, then its file begins and ends. */
static void test_snapshot(void **state)
{
	struct dat_times times = recorded(300 * SEC);
	struct time_view view;
	uint64_t ring;

	(void)state;
	times.trigger = (struct rbmap_moment){
		.ring = RING - 30 * SEC, .real = REAL - 10 * SEC, .boot = RING - 10 * SEC,
	};
	view = view_of(&times, true);
	assert_int_equal(time_view_real(&view, RING - 30 * SEC), REAL - 10 * SEC);
	assert_null(time_view_parse(&view, "-1", &ring));
	assert_int_equal(ring, RING - 33 * SEC);
}

static void check_parse(const struct time_view *view, const char *text, uint64_t wanted)
{
	const char *wrong;
	uint64_t ring = 0;

	wrong = time_view_parse(view, text, &ring);
	if (wrong)
		print_message("%s: %s\n", text, wrong);
	assert_null(wrong);
	if (ring != wanted)
		print_message("%s\n", text);
	assert_int_equal(ring, wanted);
}

static void test_parse(void **state)
{
	static const char *const wrong[] = {
		"", "-", "-x", "-1x", "x", "1x", "25:00", "12:60", "12:00:61", "14:03 ",
		"14:03:12.x", "2025-13-01 14:00", "2025-00-01 14:00", "2025-02-29 14:00",
		"2025-04-31 14:00", "2025-11-00 14:00", "2025-08-32 14:00", "2025-11-26", "2025-11-26 ", "2025-11-26 x", "14:03ZZ", "Z", ":",
		"99999999999999999999999", "-99999999999999999999999",
	};
	struct dat_times times = recorded(100 * SEC);
	struct time_view view = view_of(&times, false);
	uint64_t ring;

	(void)state;
	setenv("TZ", "UTC-2", 1);
	tzset();
	check_parse(&view, "12.5", 12 * SEC + SEC / 2);
	check_parse(&view, "0", 0);
	check_parse(&view, "-0.25", RING + 100 * SEC - SEC / 4);
	check_parse(&view, "-999999", 0);
	check_parse(&view, "2025-11-26 14:03:13Z", RING + SEC);
	check_parse(&view, "2025-11-26T14:03:13.000000001Z", RING + SEC + 1);
	check_parse(&view, "2025-11-26 16:03:13", RING + SEC);
	check_parse(&view, "16:03:13.5", RING + SEC + SEC / 2);
	check_parse(&view, "14:04Z", RING + 48 * SEC);
	check_parse(&view, "2024-02-29 14:03", 0);
	check_parse(&view, "1900-08-31 14:03", 0);
	assert_null(time_view_parse(&view, "9999-12-31 23:59", &ring));
	assert_true(ring > RING + 200 * 365 * 86400 * SEC);
	/* Later than the end: the day before. */
	check_parse(&view, "14:05Z", 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_non_null(time_view_parse(&view, wrong[i], &ring));
	view.real = 0;
	assert_non_null(time_view_parse(&view, "16:03:13", &ring));
	view.end = 0;
	assert_non_null(time_view_parse(&view, "-1", &ring));
	view.is_counter = true;
	check_parse(&view, "123456", 123456);
	check_parse(&view, "123456789012.5", 123456789012);
	check_parse(&view, "18446744073709551615", UINT64_MAX);
	assert_non_null(time_view_parse(&view, "18446744073709551616", &ring));
	assert_non_null(time_view_parse(&view, "1.x", &ring));
}

/* Events have the time of day, and nothing says which day was the last one. */
static void test_dated(void **state)
{
	struct time_view view;
	const char *wrong;
	uint64_t ring;

	(void)state;
	time_view_init_real(&view);
	check_parse(&view, "2025-11-26 14:03:12Z", REAL);
	check_parse(&view, "1764165792", REAL);
	wrong = time_view_parse(&view, "14:03:12Z", &ring);
	assert_non_null(wrong);
	assert_non_null(strstr(wrong, "give the date"));
	assert_non_null(time_view_parse(&view, "-1", &ring));
}

static const char *printed(struct columns *c, struct buf *out, uint64_t ring)
{
	columns_add_time(c, ring, out);
	buf_add(out, "", 1);
	out->size = 0;
	return out->data;
}

static void test_columns(void **state)
{
	struct dat_times times = recorded(100 * SEC);
	struct columns c = { .time = view_of(&times, false) };
	struct buf out = { 0 };

	(void)state;
	setenv("TZ", "UTC-2", 1);
	tzset();
	c.time.style = TIME_WALL_UTC;
	columns_init(&c);
	assert_string_equal(printed(&c, &out, RING), " 2025-11-26 14:03:12.000000Z: ");
	assert_string_equal(printed(&c, &out, RING + 1500), " 2025-11-26 14:03:12.000002Z: ");
	assert_string_equal(printed(&c, &out, RING - 1000), " 2025-11-26 14:03:11.999999Z: ");
	c.time.style = TIME_WALL;
	columns_init(&c);
	assert_string_equal(printed(&c, &out, RING + 60 * SEC), " 2025-11-26 16:04:12.000000: ");
	c.time.style = TIME_RELATIVE;
	c.time.ring = RING;
	columns_init(&c);
	assert_string_equal(printed(&c, &out, RING + 1500000), "     0.001500: ");
	assert_string_equal(printed(&c, &out, RING - 5), "     0.000000: ");
	buf_free(&out);
}

/* From a guest's clock to that of its host, as trace-cmd calculates it */
static void test_shift(void **state)
{
	static const struct {
		bool interpolate;
		uint64_t scaling, fraction, ts, wanted;
	} cases[] = {
		{ true, 1, 0, 1000, 1100 },
		/* Half of an offset is rounded up. */
		{ true, 1, 0, 1001, 1102 },
		{ true, 1, 0, 1002, 1103 },
		{ true, 1, 0, 1010, 1115 },
		/* The last two samples are those of later times, too. */
		{ true, 1, 0, 1030, 1126 },
		{ true, 3, 1, 1001, 1602 },
		/* The last sample that is not later counts. */
		{ false, 1, 0, 999, 1099 },
		{ false, 1, 0, 1009, 1109 },
		{ false, 1, 0, 1010, 1115 },
		{ false, 3, 1, 1009, 1613 },
		/* The product has more than 64 bits. */
		{ false, 3ULL << 40, 41, 1ULL << 40, (3ULL << 39) + 105 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t scaling = cases[i].scaling, fraction = cases[i].fraction;
		struct dat_sample samples[] = {
			{ 1000, 100, scaling, fraction }, { 1010, 105, scaling, fraction },
			{ 1020, 100, scaling, fraction },
		};
		struct dat_shift shift = { samples, 3 };
		struct dat_correction c = {
			.shift = &shift, .nr_shifts = 1, .interpolate = cases[i].interpolate,
		};

		assert_int_equal(dat_correct(&c, 0, cases[i].ts), cases[i].wanted);
		/* Other CPUs have no samples. */
		assert_int_equal(dat_correct(&c, 1, cases[i].ts), cases[i].ts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_other_text),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_counter),
		cmocka_unit_test(test_snapshot),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_dated),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_shift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
