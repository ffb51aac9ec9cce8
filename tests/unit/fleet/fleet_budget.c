// SPDX-License-Identifier: GPL-2.0-only
/* The budgets of hosts at the collector, with a clock of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "collector/limits.h"

static struct budget budget;
static double clock_seconds;

double now(void)
{
	return clock_seconds;
}

static int begin(void **state)
{
	(void)state;
	clock_seconds = 1000;
	return !budget_init(&budget);
}

static int end(void **state)
{
	(void)state;
	budget_free(&budget);
	return 0;
}

static unsigned int messages(const char *host, unsigned int most)
{
	unsigned int nr = 0;

	while (nr < most && budget_message(&budget, host))
		nr++;
	return nr;
}

/* A flood of one host takes nothing from another one. */
static void test_messages(void **state)
{
	(void)state;
	assert_int_equal(messages("evil", 100000), BUDGET_MESSAGES);
	assert_int_equal(messages("good", 1000), 1000);
	clock_seconds += 2;
	assert_int_equal(messages("evil", 100000), 2 * BUDGET_RATE);
	clock_seconds += 1e6;
	assert_int_equal(messages("evil", 100000), BUDGET_MESSAGES);
	/* A clock that steps back gives nothing. */
	clock_seconds -= 100;
	assert_int_equal(messages("evil", 100), 0);
}

static void test_checks(void **state)
{
	(void)state;
	budget_checked(&budget, "evil", 20);
	budget_checked(&budget, "evil", 20);
	assert_true(budget_check_time(&budget, "evil") == 40);
	assert_true(budget_check_time(&budget, "good") == 0);
	clock_seconds += BUDGET_HALF_LIFE;
	assert_true(budget_check_time(&budget, "evil") == 20);
	clock_seconds += 20 * BUDGET_HALF_LIFE;
	assert_true(budget_check_time(&budget, "evil") < 0.001);
}

/* More hosts than places: those that send stay. */
static void test_many_hosts(void **state)
{
	unsigned int kept = 0;

	(void)state;
	assert_int_equal(messages("evil", 100000), BUDGET_MESSAGES);
	for (int i = 0; i < 10 * BUDGET_HOSTS; i++) {
		char name[32];

		clock_seconds += 0.0001;
		snprintf(name, sizeof(name), "host-%d", i);
		assert_true(budget_message(&budget, name));
		/* Its budget stays used up, but for what the time gives. */
		kept += messages("evil", 100);
	}
	assert_true(kept <= 10 * BUDGET_HOSTS * 0.0001 * BUDGET_RATE + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_messages, begin, end),
		cmocka_unit_test_setup_teardown(test_checks, begin, end),
		cmocka_unit_test_setup_teardown(test_many_hosts, begin, end),
	};

	return cmocka_run_group_tests_name("fleet_budget", tests, NULL, NULL);
}
