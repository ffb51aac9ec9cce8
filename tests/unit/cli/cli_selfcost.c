// SPDX-License-Identifier: GPL-2.0-only
/*
 * The time that rbmap's probes take: add up the files of CPUs, compute
 * percentiles, and refuse invalid files.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/selfcost.h"

static struct selfcost sum[SELFCOST_CONTEXTS];

static int clear(void **state)
{
	(void)state;
	memset(sum, 0, sizeof(sum));
	return 0;
}

static void test_sum(void **state)
{
	(void)state;
	assert_true(selfcost_add(sum, ""));
	assert_true(selfcost_add(sum, "task 3 1 100 900 96:2 896:1\n"
				      "softirq 0 0 0 0\n"));
	assert_true(selfcost_add(sum, "task 2 4 5 97 5:1 96:1"));
	assert_int_equal(sum[0].events, 5);
	assert_int_equal(sum[0].astray, 5);
	assert_int_equal(sum[0].min, 5);
	assert_int_equal(sum[0].max, 900);
	assert_int_equal(sum[0].nr, 3);
	assert_int_equal(sum[0].bucket[0].least, 5);
	assert_int_equal(sum[0].bucket[1].least, 96);
	assert_int_equal(sum[0].bucket[1].events, 3);
	assert_int_equal(sum[1].events, 0);
	/* A CPU that has measured nothing has no minimum. */
	assert_true(selfcost_add(sum, "task 0 7 0 0\n"));
	assert_int_equal(sum[0].min, 5);
	assert_int_equal(sum[0].astray, 12);
}

static void test_percentiles(void **state)
{
	(void)state;
	assert_int_equal(selfcost_percentile(&sum[0], 50), 0);
	assert_true(selfcost_add(sum, "irq 1 0 130 130 128:1\n"));
	assert_int_equal(selfcost_percentile(&sum[2], 50), 130);
	assert_int_equal(selfcost_percentile(&sum[2], 99), 130);

	/* A hundred, spread from 128 to 160; the last one far away. */
	assert_true(selfcost_add(sum, "task 100 0 128 5000 128:99 4096:1\n"));
	assert_int_equal(selfcost_percentile(&sum[0], 50), 144);
	assert_int_equal(selfcost_percentile(&sum[0], 99), 160);
	assert_int_equal(selfcost_percentile(&sum[0], 100), 5000);

	/* Never outside of what there was. */
	assert_true(selfcost_add(sum, "NMI 4 0 6 7 6:3 7:1\n"));
	assert_int_equal(selfcost_percentile(&sum[3], 1), 6);
	assert_int_equal(selfcost_percentile(&sum[3], 99), 7);

	/* No overflow where there are very many. */
	memset(&sum[1], 0, sizeof(sum[1]));
	assert_true(selfcost_add(sum, "softirq 18446744073709551615 0 8 9 8:18446744073709551615\n"));
	assert_int_equal(selfcost_percentile(&sum[1], 99), 9);
}

static void test_garbage(void **state)
{
	static const char *const bad[] = {
		"\n", "task", "task\n", "task 1 2 3\n", "task 1 2 3 4x",
		"tasks 1 0 1 1 1:1\n", "task -1 0 1 1\n", "task 1 0 9 1 1:1\n",
		"task 1 0 1 1 1\n", "task 1 0 1 1 1:\n", "task 1 0 1 1 1:x\n",
		"task 1 0 1 1  1:1\n", "task 1 0 1 1 1:1 \n", "task  1 0 1 1\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(selfcost_add(sum, bad[i]));
	/* More buckets than there can be. */
	for (unsigned int i = 0; i < 2 * SELFCOST_BUCKETS; i++) {
		char line[64];

		snprintf(line, sizeof(line), "irq 1 0 1 1 %u:1\n", i);
		assert_int_equal(selfcost_add(sum, line), i < SELFCOST_BUCKETS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_sum, clear),
		cmocka_unit_test_setup(test_percentiles, clear),
		cmocka_unit_test_setup(test_garbage, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
