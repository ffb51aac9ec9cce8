// SPDX-License-Identifier: GPL-2.0-only
/* The moments of rbmap_moment_now() are true, and errors leave the caller's unchanged. */
#include <errno.h>
#include <linux/rbmap.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <rbmap.h>

#define NR_CPUS	1024
#define SECOND	1000000000ULL

static char dir[] = "/tmp/rbmap-lib-moment.XXXXXX";

static uint64_t ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

static void check_clock(int clock, clockid_t id)
{
	uint64_t before = ns(id), boot = ns(CLOCK_BOOTTIME), real = ns(CLOCK_REALTIME);
	struct rbmap_moment m;

	assert_int_equal(rbmap_moment_now(&m, clock, NULL), 0);
	assert_in_range(m.ring, before, ns(id));
	assert_in_range(m.boot, boot, ns(CLOCK_BOOTTIME));
	/* Another program may set this clock, but hardly by a second. */
	assert_in_range(m.real, real - SECOND, real + SECOND);
	assert_true(m.error < SECOND);
}

static void test_clocks(void **state)
{
	(void)state;
	check_clock(RBMAP_CLOCK_MONO, CLOCK_MONOTONIC);
	check_clock(RBMAP_CLOCK_BOOT, CLOCK_BOOTTIME);
}

/* Give each CPU a file like that of the module. */
static void write_stats(const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/per_cpu", dir);
	mkdir(path, 0700);
	for (int cpu = 0; cpu < NR_CPUS; cpu++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/per_cpu/cpu%d", dir, cpu);
		mkdir(path, 0700);
		strcat(path, "/stats");
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(text, file);
		fclose(file);
	}
}

static void test_local(void **state)
{
	struct rbmap_moment m;

	(void)state;
	write_stats("entries: 3\nnow ts: 12.000345\noldest event ts: 7.000001\n");
	assert_int_equal(rbmap_moment_now(&m, RBMAP_CLOCK_LOCAL, dir), 0);
	assert_int_equal(m.ring, 12 * SECOND + 345500);
	assert_true(m.error >= 500);
}

static void test_errors(void **state)
{
	struct rbmap_moment m, before;

	(void)state;
	memset(&m, 7, sizeof(m));
	before = m;
	assert_int_equal(rbmap_moment_now(&m, 99, dir), -EINVAL);
	assert_int_equal(rbmap_moment_now(&m, -1, dir), -EINVAL);
	assert_int_equal(rbmap_moment_now(&m, RBMAP_CLOCK_LOCAL, NULL), -EINVAL);
	assert_int_equal(rbmap_moment_now(&m, RBMAP_CLOCK_LOCAL, "/none"), -ENOENT);
	write_stats("entries: 3\n");
	assert_int_equal(rbmap_moment_now(&m, RBMAP_CLOCK_LOCAL, dir), -EIO);
	assert_memory_equal(&m, &before, sizeof(m));
}

static int make_dir(void **state)
{
	(void)state;
	return !mkdtemp(dir);
}

static int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
