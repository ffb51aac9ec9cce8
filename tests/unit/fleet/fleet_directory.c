// SPDX-License-Identifier: GPL-2.0-only
/* The transport by directories, for a collector: a host that leaves what cannot be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "transport/transport.h"

static char folder[] = "/tmp/fleet-directory-XXXXXX";

static void make(const char *path)
{
	char name[256];

	snprintf(name, sizeof(name), "%s/%.200s", folder, path);
	assert_int_equal(mkdir(name, 0777), 0);
	assert_int_equal(chmod(name, 0777), 0);
}

static void put(const char *path, const char *text)
{
	char name[256];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%.200s", folder, path);
	file = fopen(name, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void test_unreadable(void **state)
{
	struct transport_options o = { .role = ROLE_COLLECTOR };
	char url[64], name[256];
	struct transport t = { 0 };
	bool named = false;
	struct parcel p;
	int good = 0;

	(void)state;
	assert_non_null(mkdtemp(folder));
	make("collector");
	make("host");
	make("all");
	make("collector/evil");
	make("collector/good");
	snprintf(url, sizeof(url), "dir:%s", folder);
	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "%s/collector/evil/m%d", folder, i);
		put(name + strlen(folder) + 1, "no right");
		assert_int_equal(chmod(name, 0), 0);
		snprintf(name, sizeof(name), "collector/good/m%d", i);
		put(name, "message");
	}
	o.url = url;
	/* Root reads all files. */
	assert_int_equal(chmod(folder, 0777), 0);
	if (!geteuid())
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(transport_open(&t, &o), 0);
	for (int i = 0; i < 20; i++) {
		int ret = t.ops->receive(&t, &p, 0);

		if (ret == 1) {
			assert_string_equal(p.host, "good");
			/* No error comes before the messages that can be read. */
			assert_false(named);
			good++;
			assert_int_equal(t.ops->acknowledge(&t, &p, true), 0);
		} else if (ret < 0) {
			named = strstr(t.error, " of evil: ") && strstr(t.error, "message m");
			assert_true(named);
		}
	}
	assert_int_equal(good, 5);
	assert_true(named);
	transport_close(&t);
	assert_int_equal(seteuid(getuid()), 0);
	snprintf(name, sizeof(name), "rm -rf %s", folder);
	assert_int_equal(system(name), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unreadable),
	};

	return cmocka_run_group_tests_name("fleet_directory", tests, NULL, NULL);
}
