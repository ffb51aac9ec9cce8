// SPDX-License-Identifier: GPL-2.0-only
/* The files of a flight recorder: names, and which of them are removed. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli_directory.h"
#include "recording/write/incident_files.h"

/* Create a file of some KiB that was last written @age seconds before the first one was made. */
static void make(const char *name, unsigned int kb, time_t age)
{
	static time_t first;
	struct timespec times[2] = { { 0 } };
	static char block[1024];
	char path[PATH_MAX];
	int fd;

	if (!first)
		first = time(NULL);
	times[0].tv_sec = first - age;
	times[1] = times[0];
	memset(block, 1, sizeof(block));
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	while (kb--)
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	/* Blocks are counted once the data has its place. */
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static bool is_there(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return !access(path, F_OK);
}

/* Check files of the directory; the list ends with NULL. */
static void check_files(const char *const *names, bool there)
{
	for (; *names; names++) {
		if (is_there(*names) != there)
			print_message("%s\n", *names);
		assert_int_equal(is_there(*names), there);
	}
}

#define STAY(...)	check_files((const char *const []){ __VA_ARGS__, NULL }, true)
#define ARE_GONE(...)	check_files((const char *const []){ __VA_ARGS__, NULL }, false)

static void test_number(void **state)
{
	struct incident_files files = { .dir = dir, .keep = 2 };

	(void)state;
	/* The order of age is not that of the names. */
	make("2026-11-26T14.03.12.dat", 4, 10);
	make("2026-11-26T14.03.12.1.dat", 4, 9);
	make("2025-01-01T00.00.00.dat", 4, 8);
	make("2026-11-26T14.03.13.dat", 4, 20);
	make("2026-11-26T14.03.13.dat.cpu0", 4, 20);
	make("2026-11-26T14.03.13.dat.cpu11", 4, 20);
	/* Files of others */
	make("2026-11-26T14.03.11.dat.saved", 4, 100);
	make("2026-11-26.dat", 4, 100);
	make("trace.dat", 4, 100);
	make("x2026-11-26T14.03.12.dat", 4, 100);
	incident_files_remove_old(&files);
	STAY("2025-01-01T00.00.00.dat", "2026-11-26T14.03.12.1.dat",
	     "2026-11-26T14.03.11.dat.saved", "2026-11-26.dat", "trace.dat",
	     "x2026-11-26T14.03.12.dat");
	ARE_GONE("2026-11-26T14.03.12.dat", "2026-11-26T14.03.13.dat",
		 "2026-11-26T14.03.13.dat.cpu0", "2026-11-26T14.03.13.dat.cpu11");
}

static void test_size(void **state)
{
	struct incident_files files = { .dir = dir, .keep_kb = 100 };

	(void)state;
	make("2026-11-26T14.03.10.dat", 64, 40);
	make("2026-11-26T14.03.11.dat", 4, 30);
	make("2026-11-26T14.03.11.dat.cpu0", 60, 30);
	make("2026-11-26T14.03.12.dat", 20, 20);
	make("2026-11-26T14.03.13.dat", 12, 10);
	incident_files_remove_old(&files);
	STAY("2026-11-26T14.03.11.dat");
	ARE_GONE("2026-11-26T14.03.10.dat");
	files.keep_kb = 40;
	incident_files_remove_old(&files);
	STAY("2026-11-26T14.03.12.dat");
	ARE_GONE("2026-11-26T14.03.11.dat", "2026-11-26T14.03.11.dat.cpu0");
	/* The newest one stays, however large it is. */
	files.keep_kb = 1;
	incident_files_remove_old(&files);
	STAY("2026-11-26T14.03.13.dat");
	ARE_GONE("2026-11-26T14.03.12.dat");
}

/* A link with such a name does not lead out of the directory. */
static void test_links(void **state)
{
	struct incident_files files = { .dir = dir, .keep = 1 };
	char outside[PATH_MAX], path[PATH_MAX];

	(void)state;
	make("outside", 4, 100);
	make("2026-11-26T14.03.13.dat", 4, 10);
	make("2026-11-26T14.03.14.dat", 4, 5);
	snprintf(outside, sizeof(outside), "%s/outside", dir);
	snprintf(path, sizeof(path), "%s/2026-11-26T14.03.12.dat", dir);
	assert_int_equal(symlink(outside, path), 0);
	snprintf(path, sizeof(path), "%s/2026-11-26T14.03.13.dat.cpu0", dir);
	assert_int_equal(symlink(outside, path), 0);
	incident_files_remove_old(&files);
	STAY("outside", "2026-11-26T14.03.12.dat", "2026-11-26T14.03.14.dat");
	ARE_GONE("2026-11-26T14.03.13.dat");
}

/* A file that is written, or waits for the thread that assembles it, does not count. */
static void test_in_use(void **state)
{
	struct incident_files files = { .dir = dir, .keep = 1, .keep_kb = 10 };
	char path[PATH_MAX];
	int fd;

	(void)state;
	make("2026-11-26T14.03.12.dat", 4, 30);
	make("2026-11-26T14.03.12.dat.cpu0", 64, 30);
	make("2026-11-26T14.03.13.dat", 4, 20);
	make("2026-11-26T14.03.14.dat", 4, 10);
	snprintf(path, sizeof(path), "%s/2026-11-26T14.03.12.dat", dir);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	incident_files_remove_old(&files);
	STAY("2026-11-26T14.03.12.dat", "2026-11-26T14.03.12.dat.cpu0", "2026-11-26T14.03.14.dat");
	ARE_GONE("2026-11-26T14.03.13.dat");
	close(fd);
	incident_files_remove_old(&files);
	STAY("2026-11-26T14.03.14.dat");
	ARE_GONE("2026-11-26T14.03.12.dat", "2026-11-26T14.03.12.dat.cpu0");
}

static void test_all_stay(void **state)
{
	struct incident_files files = { .dir = dir };

	(void)state;
	make("2026-11-26T14.03.12.dat", 4, 10);
	make("2026-11-26T14.03.13.dat", 4, 20);
	incident_files_remove_old(&files);
	files.keep = 2;
	files.keep_kb = 1000;
	incident_files_remove_old(&files);
	STAY("2026-11-26T14.03.12.dat", "2026-11-26T14.03.13.dat");
}

static void test_names(void **state)
{
	struct incident_files files = { .dir = dir };
	char path[PATH_MAX], small[24];
	bool again = false;

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_true(incident_files_name(&files, path, sizeof(path)));
		assert_int_equal(fnmatch("*/20*-*-*T*.*.*.dat", path, 0), 0);
		assert_int_not_equal(access(path, F_OK), 0);
		/* Another file of the same second has a number. */
		again |= !fnmatch("*T*.*.*.[1-4].dat", path, 0);
		make(strrchr(path, '/') + 1, 4, 0);
	}
	assert_true(again);
	assert_false(incident_files_name(&files, small, sizeof(small)));

	files = (struct incident_files){ .output = path, .next_number = 1 };
	snprintf(path, sizeof(path), "%s/x", dir);
	files.output = strdup(path);
	make("x.1", 4, 0);
	assert_true(incident_files_name(&files, path, sizeof(path)));
	assert_string_equal(strrchr(path, '/'), "/x");
	files.nr = 1;
	assert_true(incident_files_name(&files, path, sizeof(path)));
	assert_string_equal(strrchr(path, '/'), "/x.2");
	free((char *)files.output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_number, begin, end),
		cmocka_unit_test_setup_teardown(test_size, begin, end),
		cmocka_unit_test_setup_teardown(test_links, begin, end),
		cmocka_unit_test_setup_teardown(test_in_use, begin, end),
		cmocka_unit_test_setup_teardown(test_all_stay, begin, end),
		cmocka_unit_test_setup_teardown(test_names, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
