// SPDX-License-Identifier: GPL-2.0-only
/* The files of rbmap record --rotate: their names, when the next one begins, which ones go. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/complain.h"
#include "base/process.h"
#include "cli_directory.h"
#include "command/command.h"
#include "record/rotation.h"

static int enter(void **state)
{
	return begin(state) || chdir(dir);
}

static int leave(void **state)
{
	return chdir("/") || end(state);
}

static const struct command command = { .name = "record" };

static void make_file(const char *name)
{
	int fd = open(name, O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static void test_limits(void **state)
{
	struct rotation r = { 0 };

	(void)state;
	assert_int_equal(rotation_set(&command, &r, "10M"), STATUS_OK);
	assert_int_equal(r.kb, 10 << 10);
	assert_true(rotation_is_wanted(&r));
	assert_false(rotation_is_due(&r, (10 << 20) - 1));
	assert_true(rotation_is_due(&r, 10 << 20));
	/* The last option counts. A small letter is a time. */
	assert_int_equal(rotation_set(&command, &r, "10m"), STATUS_OK);
	assert_int_equal(r.kb, 0);
	assert_int_equal(r.seconds, 600);
	/* The clock of a machine that started a moment ago is below that. */
	r.began = now();
	assert_false(rotation_is_due(&r, 0));
	r.began = now() - 600;
	assert_true(rotation_is_due(&r, 0));
	assert_int_equal(rotation_set(&command, &r, "500ms"), STATUS_OK);
	for (size_t i = 0; i < 6; i++) {
		static char bad[][4] = { "", "10", "M", "0M", "0s", "1x" };

		assert_int_equal(rotation_set(&command, &r, bad[i]), STATUS_USAGE);
	}
}

static void test_names(void **state)
{
	struct rotation r = { .output = "trace.dat" }, other = { .output = "./x" };

	(void)state;
	assert_string_equal(rotation_next_name(&r), "trace.0001.dat");
	assert_string_equal(rotation_next_name(&r), "trace.0002.dat");
	rotation_free(&r);
	/* Numbers go on behind those that exist, also of unfinished files alone. */
	make_file("trace.0007.dat");
	make_file("trace.0012.dat.cpu3");
	make_file("trace.99.dat");
	make_file("trace.0100.data");
	make_file("tracer.0200.dat");
	r = (struct rotation){ .output = "trace.dat" };
	assert_string_equal(rotation_next_name(&r), "trace.0013.dat");
	rotation_free(&r);
	assert_string_equal(rotation_next_name(&other), "./x.0001");
	rotation_free(&other);
	make_file("x.12345");
	other = (struct rotation){ .output = "./x" };
	assert_string_equal(rotation_next_name(&other), "./x.12346");
	rotation_free(&other);
}

static void test_keep(void **state)
{
	struct rotation r = { .output = "kept.dat", .keep = 2 };

	(void)state;
	rotation_next_name(&r);
	assert_null(rotation_next_removed(&r));
	rotation_next_name(&r);
	assert_null(rotation_next_removed(&r));
	rotation_next_name(&r);
	assert_string_equal(rotation_next_removed(&r), "kept.0001.dat");
	assert_null(rotation_next_removed(&r));
	assert_int_equal(r.removed, 1);
	rotation_next_name(&r);
	assert_string_equal(rotation_next_removed(&r), "kept.0002.dat");
	r.keep = 0;
	rotation_next_name(&r);
	assert_null(rotation_next_removed(&r));
	rotation_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test_setup_teardown(test_names, enter, leave),
		cmocka_unit_test_setup_teardown(test_keep, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
