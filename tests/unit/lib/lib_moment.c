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
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <rbmap.h>

#define NR_CPUS	1024
#define SECOND	1000000000LL

/*
 * This kernel knows how far TAI is ahead, and its clocks are not read at the same time. The
 * library finds this clock_gettime() before that of the C library.
 */
static int64_t tai_ahead;

int clock_gettime(clockid_t id, struct timespec *ts)
{
	int64_t time;

	if (syscall(SYS_clock_gettime, id == CLOCK_TAI ? CLOCK_REALTIME : id, ts))
		return -1;
	if (id == CLOCK_TAI) {
		time = ts->tv_sec * (int64_t)SECOND + ts->tv_nsec + tai_ahead;
		ts->tv_sec = time / (int64_t)SECOND;
		ts->tv_nsec = time % (int64_t)SECOND;
	}
	return 0;
}

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

/* The offset is a whole number of seconds, although the clocks are read one after the other. */
static void test_tai(void **state)
{
	static const int64_t late[] = { -SECOND / 3, -1000, 0, 1000, SECOND / 3 };
	struct rbmap_moment m;

	(void)state;
	for (int seconds = 0; seconds < 40; seconds += 37) {
		for (size_t i = 0; i < sizeof(late) / sizeof(*late); i++) {
			tai_ahead = seconds * (int64_t)SECOND + late[i];
			assert_int_equal(rbmap_moment_now(&m, RBMAP_CLOCK_MONO, NULL), 0);
			assert_int_equal(m.tai_offset, seconds);
		}
	}
	tai_ahead = 0;
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
		cmocka_unit_test(test_tai),
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
