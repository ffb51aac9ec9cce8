// SPDX-License-Identifier: GPL-2.0-only
/*
 * The transport by directories: a host that leaves what cannot be read, and what is on the disk
 * when a message is published.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "transport/transport.h"

static char folder[sizeof("/tmp/fleet-directory-XXXXXX")];
static bool files_are_cut;

/* A file can become shorter after its size was read. */
ssize_t read(int fd, void *to, size_t size)
{
	return files_are_cut ? 0 : syscall(SYS_read, fd, to, size);
}

static unsigned int syncs, failing;	/* calls of fsync(), and the one that fails */

int fsync(int fd)
{
	if (++syncs == failing) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_fsync, fd);
}

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

static void make_folders(void)
{
	snprintf(folder, sizeof(folder), "/tmp/fleet-directory-XXXXXX");
	assert_non_null(mkdtemp(folder));
	make("collector");
	make("host");
	make("all");
	make("collector/evil");
	make("collector/good");
}

static void remove_folders(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
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
	make_folders();
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
	remove_folders();
}

/* A member of the group cuts a file while it is read. It is delivered without bytes. */
static void test_cut(void **state)
{
	struct transport_options o = { .role = ROLE_COLLECTOR };
	struct transport t = { 0 };
	struct parcel p = { 0 };
	char url[64];

	(void)state;
	make_folders();
	snprintf(url, sizeof(url), "dir:%s", folder);
	o.url = url;
	put("collector/evil/m", "message");
	assert_int_equal(transport_open(&t, &o), 0);
	files_are_cut = true;
	assert_int_equal(t.ops->receive(&t, &p, 0), 1);
	files_are_cut = false;
	assert_int_equal(p.size, 0);
	assert_null(p.data);
	assert_int_equal(t.ops->acknowledge(&t, &p, true), 0);
	assert_int_equal(t.ops->receive(&t, &p, 0), 0);
	transport_close(&t);
	remove_folders();
}

/*
 * A message is published when it, its name and that of its folder are on the disk. After each
 * error the next attempt writes all of that.
 */
static void test_synced(void **state)
{
	struct transport_options o = { .role = ROLE_HOST, .host = "new" };
	struct parcel p = { .channel = CHANNEL_COLLECTOR, .host = "new", .id = "m", .data = "x",
			    .size = 1 };
	struct transport t = { 0 };
	char url[64], name[256];

	(void)state;
	make_folders();
	snprintf(url, sizeof(url), "dir:%s", folder);
	o.url = url;
	assert_int_equal(transport_open(&t, &o), 0);
	for (failing = 1; failing <= 3; failing++) {
		syncs = 0;
		assert_int_not_equal(t.ops->publish(&t, &p, 1), 0);
		assert_int_equal(syncs, failing);
		snprintf(name, sizeof(name), "%s/collector/new", folder);
		rmdir(name);
	}
	failing = syncs = 0;
	assert_int_equal(t.ops->publish(&t, &p, 1), 0);
	/* The folder is there since the third attempt. */
	assert_int_equal(syncs, 2);
	failing = 1;
	syncs = 0;
	strcpy(p.host, "newer");
	assert_int_not_equal(t.ops->publish(&t, &p, 1), 0);
	syncs = failing = 0;
	assert_int_equal(t.ops->publish(&t, &p, 1), 0);
	assert_int_equal(syncs, 3);
	transport_close(&t);
	remove_folders();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_synced),
	};

	return cmocka_run_group_tests_name("fleet_directory", tests, NULL, NULL);
}
