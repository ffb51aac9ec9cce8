// SPDX-License-Identifier: GPL-2.0-only
/* Histograms of lengths, beside the sorted lengths themselves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "intervals/summary/histogram.h"
#include "print/time_view.h"

#define NR	20000

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Random lengths of all powers */
static uint64_t random_length(void)
{
	return (((uint64_t)random() << 33) ^ ((uint64_t)random() << 11) ^ random()) >>
	       random() % 64;
}

static void check(uint64_t *length, size_t nr)
{
	static const double share[] = { 0, 0.001, 0.5, 0.9, 0.99, 0.999, 1 };
	struct histogram h = { 0 };
	uint64_t total = 0, powers = 0;

	for (size_t i = 0; i < nr; i++) {
		assert_true(histogram_add(&h, length[i]));
		total += length[i];
	}
	qsort(length, nr, sizeof(*length), ascending);
	assert_int_equal(h.count, nr);
	assert_int_equal(h.total, total);
	assert_int_equal(h.max, length[nr - 1]);
	for (size_t i = 0; i < sizeof(share) / sizeof(share[0]); i++) {
		size_t rank = ceil(share[i] * nr);
		uint64_t exact = length[rank ? rank - 1 : 0];
		uint64_t got = histogram_quantile(&h, share[i]);
		uint64_t apart = got > exact ? got - exact : exact - got;

		assert_true(apart <= exact / 64);
	}
	for (unsigned int power = 0; power < 64; power++) {
		uint64_t from = power ? 1ULL << power : 0, count = 0;
		uint64_t to = power < 63 ? (2ULL << power) - 1 : UINT64_MAX;

		for (size_t i = 0; i < nr; i++)
			count += length[i] >= from && length[i] <= to;
		assert_int_equal(histogram_power_count(&h, power), count);
		powers += count;
	}
	assert_int_equal(powers, nr);
	histogram_free(&h);
}

static void test_random(void **state)
{
	static uint64_t length[NR];

	(void)state;
	srandom(1);
	for (size_t nr = 1; nr <= NR; nr = nr * 3 + 1) {
		for (size_t i = 0; i < nr; i++)
			length[i] = random_length();
		check(length, nr);
	}
}

static void test_borders(void **state)
{
	uint64_t length[64 * 3];
	size_t nr = 0;

	(void)state;
	for (unsigned int power = 0; power < 64; power++)
		for (int d = -1; d <= 1; d++)
			length[nr++] = (1ULL << power) + d;
	for (size_t i = 0; i < nr; i++) {
		uint64_t one = length[i];

		check(&one, 1);
	}
	check(length, nr);
}

static void test_empty(void **state)
{
	struct histogram h = { 0 };

	(void)state;
	assert_int_equal(histogram_quantile(&h, 0.5), 0);
	for (unsigned int power = 0; power < 64; power++)
		assert_int_equal(histogram_power_count(&h, power), 0);
}

static void test_text(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} lengths[] = {
		{ 0, "0ns" }, { 1, "1ns" }, { 999, "999ns" }, { 1000, "1.00us" },
		{ 1009, "1.00us" }, { 1010, "1.01us" }, { 12345, "12.3us" },
		{ 999999, "999us" }, { 1000000, "1.00ms" }, { 40123456, "40.1ms" },
		{ 999999999, "999ms" }, { 1000000000, "1.00s" }, { 123456789012, "123s" },
		{ UINT64_MAX, "18446744073s" },
	};
	struct time_view time = { 0 };
	char text[LENGTH_ROOM];

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		assert_string_equal(length_text(&time, lengths[i].ns, text), lengths[i].text);
	/* Cycles are converted if their rate is known. */
	time.is_counter = true;
	assert_string_equal(length_text(&time, 12345, text), "12345");
	assert_int_equal(length_ns(&time, 12345), 12345);
	time = (struct time_view){ .is_counter = true, .real = 1, .real_step = 1000,
				   .ring_step = 2500 };
	assert_string_equal(length_text(&time, 2500, text), "1.00us");
	assert_int_equal(length_ns(&time, UINT64_MAX), 7378697629483820646ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_borders),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
