// SPDX-License-Identifier: GPL-2.0-only
/* The views of recordings that no recorder wrote: what they print, and how long they take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "intervals/intervals.h"
#include "recording/dat_hosts.h"

/* The name of a host is text of others. */
static void test_host(void **state)
{
	struct intervals *intervals = intervals_new(NULL, NULL);
	struct dat_hosts *hosts;
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(dat_hosts_parse(&hosts, DAT_HOSTS_HEAD "0 4 0 web\033[31m\n"), 1);
	intervals_set_hosts(intervals, hosts);
	intervals_print_cpu(intervals, 3, &b);
	buf_add(&b, "", 1);
	assert_string_equal(b.data, "CPU 3 of web\\x1b[31m");
	buf_free(&b);
	intervals_free(intervals);
	dat_hosts_free(hosts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host),
	};

	return cmocka_run_group_tests_name("cli_hostile", tests, NULL, NULL);
}
