// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of block devices in a recording: the table, and its text, which may contain
 * anything.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "live/machine.h"
#include "recording/dat_devices.h"
#include "recording/write/stat_texts.h"

#define ALL	(1 << 20)

static void test_table(void **state)
{
	struct dat_devices *devices = dat_devices_new();
	char name[DAT_DEVICE_NAME + 1];

	(void)state;
	assert_null(dat_devices_name(NULL, 0));
	assert_null(dat_devices_name(devices, 0));
	assert_int_equal(dat_devices_add(devices, DAT_DEV(253, 1), "vda1"), 0);
	assert_int_equal(dat_devices_add(devices, DAT_DEV(8, 0), "sda"), 0);
	assert_int_equal(dat_devices_add(devices, DAT_DEV(259, 1048575), "nvme0n1"), 0);
	/* The first name counts; no name, one that is too long and one of two lines do not. */
	assert_int_equal(dat_devices_add(devices, DAT_DEV(8, 0), "other"), 0);
	assert_int_equal(dat_devices_add(devices, DAT_DEV(8, 1), ""), 0);
	assert_int_equal(dat_devices_add(devices, DAT_DEV(8, 1), "a\nb"), 0);
	memset(name, 'x', DAT_DEVICE_NAME);
	name[DAT_DEVICE_NAME] = '\0';
	assert_int_equal(dat_devices_add(devices, DAT_DEV(8, 1), name), 0);
	assert_null(dat_devices_name(devices, DAT_DEV(8, 1)));
	name[DAT_DEVICE_NAME - 1] = '\0';
	assert_int_equal(dat_devices_add(devices, DAT_DEV(8, 1), name), 0);
	assert_string_equal(dat_devices_name(devices, DAT_DEV(8, 1)), name);
	assert_string_equal(dat_devices_name(devices, DAT_DEV(8, 0)), "sda");
	assert_string_equal(dat_devices_name(devices, DAT_DEV(253, 1)), "vda1");
	assert_string_equal(dat_devices_name(devices, DAT_DEV(259, 1048575)), "nvme0n1");
	assert_null(dat_devices_name(devices, DAT_DEV(253, 0)));
	assert_null(dat_devices_name(devices, UINT32_MAX));
	assert_int_equal(dat_devices_count(devices), 4);
	dat_devices_free(devices);
}

static void test_text(void **state)
{
	struct dat_devices *devices = dat_devices_new(), *again = dat_devices_new();
	struct buf text = { 0 };

	(void)state;
	assert_int_equal(devices_text(devices, &text, ALL), 0);
	assert_int_equal(text.size, 0);
	dat_devices_add(devices, DAT_DEV(253, 1), "vda1");
	dat_devices_add(devices, DAT_DEV(254, 0), "mapper/my root");
	assert_int_equal(devices_text(devices, &text, ALL), 0);
	buf_add(&text, "", 1);
	assert_string_equal(text.data, "rbmap devices\n253:1 vda1\n254:0 mapper/my root\n");
	assert_int_equal(dat_devices_parse(again, text.data), 1);
	assert_string_equal(dat_devices_name(again, DAT_DEV(254, 0)), "mapper/my root");
	assert_int_equal(dat_devices_count(again), 2);
	buf_free(&text);
	dat_devices_free(again);
	dat_devices_free(devices);
}

/* Whatever has no room is counted, and the rest is a text that can be read. */
static void test_room(void **state)
{
	struct dat_devices *devices = dat_devices_new();

	(void)state;
	for (unsigned int i = 0; i < 100; i++)
		dat_devices_add(devices, DAT_DEV(8, i), "sd");
	for (size_t limit = 0; limit < 2000; limit += 37) {
		struct dat_devices *again = dat_devices_new();
		struct buf text = { 0 };
		size_t left_out = devices_text(devices, &text, limit);

		assert_true(text.size <= limit);
		buf_add(&text, "", 1);
		assert_int_equal(dat_devices_parse(again, text.data), left_out < 100);
		assert_int_equal(dat_devices_count(again) + left_out, 100);
		buf_free(&text);
		dat_devices_free(again);
	}
	dat_devices_free(devices);
}

static void test_many(void **state)
{
	struct dat_devices *devices = dat_devices_new();
	struct buf text = { 0 };

	(void)state;
	buf_printf(&text, DAT_DEVICES_HEAD);
	for (unsigned int i = 0; i < 2 * DAT_DEVICES_MAX; i++)
		buf_printf(&text, "65:%u disk%u\n", i, i);
	buf_add(&text, "", 1);
	assert_int_equal(dat_devices_parse(devices, text.data), 1);
	assert_int_equal(dat_devices_count(devices), DAT_DEVICES_MAX);
	assert_string_equal(dat_devices_name(devices, DAT_DEV(65, 77)), "disk77");
	buf_free(&text);
	dat_devices_free(devices);
}

static void test_hostile(void **state)
{
	static const char *const others[] = { "", "rbmap devices", "CPU: 3\nmissed: 4\n",
					      "rbmap cgroups\n/web: 1\n" };
	struct dat_devices *devices = dat_devices_new();
	struct buf text = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(dat_devices_parse(devices, others[i]), 0);
	assert_int_equal(dat_devices_parse(devices, DAT_DEVICES_HEAD), 1);
	assert_int_equal(dat_devices_parse(devices, DAT_DEVICES_HEAD
		"\n\n253\n253:\n253:1\n253:1 \n:1 x\n-1:0 x\n4096:0 x\n0:1048576 x\n"
		"99999999999999999999:0 x\na:b c\n8:0 sda\n8:1  two blanks\n8:2 no newline"), 1);
	assert_string_equal(dat_devices_name(devices, DAT_DEV(8, 0)), "sda");
	assert_string_equal(dat_devices_name(devices, DAT_DEV(8, 1)), "two blanks");
	assert_string_equal(dat_devices_name(devices, DAT_DEV(8, 2)), "no newline");
	assert_int_equal(dat_devices_count(devices), 3);
	buf_printf(&text, DAT_DEVICES_HEAD "9:0 ");
	for (int i = 0; i < 5000; i++)
		buf_printf(&text, "x");
	buf_printf(&text, "\n9:1 md1\n");
	buf_add(&text, "", 1);
	assert_int_equal(dat_devices_parse(devices, text.data), 1);
	assert_null(dat_devices_name(devices, DAT_DEV(9, 0)));
	assert_string_equal(dat_devices_name(devices, DAT_DEV(9, 1)), "md1");
	buf_free(&text);
	dat_devices_free(devices);
}

/* Each device of /proc/partitions has its name in sysfs, if sysfs is there. */
static void test_machine(void **state)
{
	struct dat_devices *devices = dat_devices_new();
	FILE *file = fopen("/proc/partitions", "re");
	unsigned int major, minor;
	char line[256], name[64];

	(void)state;
	assert_int_equal(block_devices_scan(devices), 0);
	while (file && dat_devices_count(devices) && fgets(line, sizeof(line), file)) {
		const char *found;

		if (sscanf(line, "%u %u %*u %63s", &major, &minor, name) != 3)
			continue;
		found = dat_devices_name(devices, DAT_DEV(major, minor));
		assert_non_null(found);
		if (strncmp(found, "mapper/", strlen("mapper/")))
			assert_string_equal(found, name);
	}
	if (file)
		fclose(file);
	dat_devices_free(devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_machine),
	};

	return cmocka_run_group_tests_name("the names of block devices", tests, NULL, NULL);
}
