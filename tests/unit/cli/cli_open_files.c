// SPDX-License-Identifier: GPL-2.0-only
/* The open files of a recorder, for machines that this one is not. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "live/recorder/open_files.h"

/* The limits of systemd (soft and hard), and the kernel's own hard one. */
static const rlim_t usual = 1024, highest = 524288, kernels = 4096;

static void test_many_cpus(void **state)
{
	(void)state;
	assert_int_equal(open_files_within(64, usual), OPEN_FILES_ALL);
	assert_int_equal(open_files_within(130, usual), OPEN_FILES_ALL);
	assert_int_equal(open_files_within(1024, highest), OPEN_FILES_ALL);
	assert_int_equal(open_files_within(8192, highest), OPEN_FILES_ALL);
	/* Fewer files are enough, and they are not taken for pipes and names. */
	assert_int_equal(open_files_within(1024, kernels), OPEN_FILES_RINGS);
	assert_int_equal(open_files_within(512, kernels), OPEN_FILES_ALL);
	assert_int_equal(open_files_within(700, kernels), OPEN_FILES_PIPES);
	assert_int_equal(open_files_within(1024, usual), OPEN_FILES_NONE);
	assert_int_equal(open_files_within(8192, kernels), OPEN_FILES_NONE);
	assert_int_equal(open_files_within(1, 20), OPEN_FILES_NONE);
}

/* A limit that is just enough is enough, and one less is not. */
static void test_needed(void **state)
{
	static const unsigned int nr_cpus[] = { 1, 2, 64, 1024, 8192, 65536 };

	(void)state;
	for (size_t i = 0; i < sizeof(nr_cpus) / sizeof(nr_cpus[0]); i++) {
		for (enum open_files what = OPEN_FILES_RINGS; what <= OPEN_FILES_ALL; what++) {
			rlim_t needed = open_files_needed(nr_cpus[i], what);

			assert_int_equal(open_files_within(nr_cpus[i], needed), what);
			assert_int_equal(open_files_within(nr_cpus[i], needed - 1), what - 1);
		}
	}
}

static rlim_t soft(void)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	return limit.rlim_cur;
}

static void set(rlim_t cur, rlim_t max)
{
	struct rlimit limit = { .rlim_cur = cur, .rlim_max = max };

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Each limit is at most the one before, so that no rights are needed. */
static void test_allow(void **state)
{
	(void)state;
	set(100, 1000);
	assert_int_equal(open_files_allow(2), OPEN_FILES_ALL);
	assert_int_equal(soft(), 100);
	assert_int_equal(open_files_allow(64), OPEN_FILES_ALL);
	/* The number is an estimate, and more files are allowed. */
	assert_int_equal(soft(), 1000);
	assert_int_equal(open_files_allow(300), OPEN_FILES_RINGS);
	assert_int_equal(soft(), 1000);
	assert_int_equal(open_files_allow(400), OPEN_FILES_NONE);
	/* Another program gets the limit that the user has set. */
	open_files_restore();
	assert_int_equal(soft(), 100);
}

/* A rotation and a trigger have files of each CPU beside those of a recorder. */
static void test_expected(void **state)
{
	(void)state;
	open_files_expect(2);
	/* The files of the recorder, the next ones, and those that are being assembled */
	assert_true(open_files_needed(128, OPEN_FILES_ALL) >= 9 * 128 + 12);
	assert_int_equal(open_files_within(127, usual), OPEN_FILES_PIPES);
	assert_int_equal(open_files_within(512, kernels), OPEN_FILES_PIPES);
	assert_int_equal(open_files_within(700, kernels), OPEN_FILES_RINGS);
	open_files_expect(0);
	assert_int_equal(open_files_within(127, usual), OPEN_FILES_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_cpus),
		cmocka_unit_test(test_needed),
		cmocka_unit_test(test_expected),
		cmocka_unit_test(test_allow),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
