// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cgroups of a recording's tasks: what is learnt, merged, printed and read again, and texts
 * that no recorder wrote, also of hosts.
 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_hosts.h"
#include "recording/write/stat_texts.h"

#define WEB	"/system.slice/web.service"
#define ODD	"/odd: name/12: 13"	/* a name may have a colon, blanks and digits */
#define ALL	(1 << 20)

static void learn(struct dat_cgroups *cgroups, int pid, int ns_pid, const char *cgroup, uint64_t ts)
{
	const struct dat_task task = { .pid = pid, .ns_pid = ns_pid, .cgroup = cgroup, .ts = ts };

	assert_int_equal(dat_cgroups_learn(cgroups, &task), 0);
}

static void check(const struct dat_cgroups *cgroups, int pid, int ns_pid, const char *cgroup)
{
	const struct dat_task *task = dat_cgroups_find(cgroups, pid);

	assert_non_null(task);
	assert_string_equal(task->cgroup, cgroup);
	assert_int_equal(task->ns_pid, ns_pid);
}

static void test_learn(void **state)
{
	struct dat_cgroups *cgroups = dat_cgroups_new(), *later = dat_cgroups_new();

	(void)state;
	assert_null(dat_cgroups_find(cgroups, 1));
	learn(cgroups, 1, 0, "/", 5);
	learn(cgroups, 2, 7, "/", 5);
	learn(cgroups, 2, 0, WEB, 9);	/* its end does not say the number of its namespace */
	learn(cgroups, 1, 3, WEB, 4);	/* read late: the cgroup is old, the number is new */
	check(cgroups, 1, 3, "/");
	check(cgroups, 2, 7, WEB);
	learn(later, 1, 0, ODD, 6);
	learn(later, 2, 0, "/", 8);
	learn(later, 3, 0, "/", 1);
	assert_int_equal(dat_cgroups_merge(cgroups, later), 0);
	dat_cgroups_free(later);
	check(cgroups, 1, 3, ODD);
	check(cgroups, 2, 7, WEB);
	check(cgroups, 3, 0, "/");
	dat_cgroups_free(cgroups);
}

static void test_text(void **state)
{
	struct dat_cgroups *cgroups = dat_cgroups_new(), *again = dat_cgroups_new();
	struct buf text = { 0 };

	(void)state;
	assert_int_equal(cgroups_text(cgroups, &text, ALL), 0);
	assert_int_equal(text.size, 0);
	learn(cgroups, 15, 1, WEB, 1);
	learn(cgroups, 12, 0, WEB, 1);
	learn(cgroups, 14, 14, WEB, 1);
	learn(cgroups, 4194303, 2, ODD, 1);
	assert_int_equal(cgroups_text(cgroups, &text, ALL), 0);
	buf_add(&text, "", 1);
	assert_string_equal(text.data, "rbmap cgroups\n" ODD ": 4194303:2\n" WEB ": 12 14 15:1\n");
	assert_int_equal(dat_cgroups_parse(again, text.data), 1);
	check(again, 12, 0, WEB);
	check(again, 14, 0, WEB);
	check(again, 15, 1, WEB);
	check(again, 4194303, 2, ODD);
	buf_free(&text);
	dat_cgroups_free(again);
	dat_cgroups_free(cgroups);
}

/* Those that do not fit are counted, and the others can be read. */
static void test_limit(void **state)
{
	struct dat_cgroups *cgroups = dat_cgroups_new();
	const size_t nr = 1000;
	char path[64];

	(void)state;
	for (size_t i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "/group %zu", i / 10);
		learn(cgroups, i + 1, 0, path, 1);
	}
	for (size_t limit = 0; limit < 8000; limit += 61) {
		struct dat_cgroups *again = dat_cgroups_new();
		struct buf text = { 0 };
		size_t left_out = cgroups_text(cgroups, &text, limit), found = 0;

		assert_true(text.size <= limit);
		buf_add(&text, "", 1);
		assert_int_equal(dat_cgroups_parse(again, text.data), text.size > 1);
		for (size_t i = 0; i < nr; i++)
			found += dat_cgroups_find(again, i + 1) != NULL;
		assert_int_equal(found + left_out, nr);
		buf_free(&text);
		dat_cgroups_free(again);
	}
	dat_cgroups_free(cgroups);
}

static void test_strange(void **state)
{
	struct dat_cgroups *cgroups = dat_cgroups_new();

	(void)state;
	assert_int_equal(dat_cgroups_parse(cgroups, ""), 0);
	assert_int_equal(dat_cgroups_parse(cgroups, "CPU: 3\nmissed: 4\n"), 0);
	assert_int_equal(dat_cgroups_parse(cgroups, "rbmap cgroups\n"), 1);
	assert_int_equal(dat_cgroups_parse(cgroups,
					   "rbmap cgroups\nno path: 1\n/a\n/b:\n/c: \n/d: 0 2\n/e: -3\n"
					   "/f: 4294967299\n/g: 5:\n/h: 6:99999999999999999999 7:-1 8:x 9\n: 10\n/end: 11"), 1);
	assert_null(dat_cgroups_find(cgroups, 1));
	assert_null(dat_cgroups_find(cgroups, 2));
	assert_null(dat_cgroups_find(cgroups, 3));
	check(cgroups, 5, 0, "/g");
	check(cgroups, 6, 0, "/h");
	check(cgroups, 7, 0, "/h");
	check(cgroups, 8, 0, "/h");
	assert_null(dat_cgroups_find(cgroups, 9));
	assert_null(dat_cgroups_find(cgroups, 10));
	check(cgroups, 11, 0, "/end");
	dat_cgroups_free(cgroups);
}

static void set(struct dat_cgroups *cgroups, const char *path, uint64_t quota)
{
	const struct dat_quota q = { .cgroup = path, .quota = quota, .period = 100000 };

	assert_int_equal(dat_cgroups_set_quota(cgroups, &q), 0);
}

static void check_quota(const struct dat_cgroups *cgroups, const char *path, int ret,
			const char *cgroup, uint64_t quota)
{
	struct dat_quota q;

	assert_int_equal(dat_cgroups_quota(cgroups, path, &q), ret);
	if (ret != 1)
		return;
	assert_string_equal(q.cgroup, cgroup);
	assert_int_equal(q.quota, quota);
	assert_int_equal(q.period, 100000);
}

static void test_quotas(void **state)
{
	struct dat_cgroups *cgroups = dat_cgroups_new(), *again = dat_cgroups_new();
	const struct dat_cgroups *each[] = { cgroups, again };
	struct buf text = { 0 };

	(void)state;
	learn(cgroups, 1, 0, "/a/b/c", 1);
	check_quota(cgroups, "/a/b/c", -ENOENT, NULL, 0);
	set(cgroups, "/a", 5000);
	set(cgroups, "/a/b", DAT_QUOTA_MAX);
	set(cgroups, "/a/b/c", DAT_QUOTA_MAX);
	set(cgroups, "/free", DAT_QUOTA_MAX);
	set(cgroups, "/free/own", 7000);
	set(cgroups, "/", DAT_QUOTA_MAX);
	assert_int_equal(cgroups_text(cgroups, &text, ALL), 0);
	buf_add(&text, "", 1);
	assert_non_null(strstr(text.data, "quota 5000 100000 /a\n"));
	assert_non_null(strstr(text.data, "quota max 100000 /a/b\n"));
	assert_int_equal(dat_cgroups_parse(again, text.data), 1);
	check(again, 1, 0, "/a/b/c");
	for (int i = 0; i < 2; i++) {
		check_quota(each[i], "/a/b/c", 1, "/a", 5000);
		check_quota(each[i], "/a", 1, "/a", 5000);
		/* A cgroup that has gone may have had one of its own, or the one above it. */
		check_quota(each[i], "/a/gone", 1, "/a", 5000);
		check_quota(each[i], "/free/gone", -ENOENT, NULL, 0);
		check_quota(each[i], "/free", 0, NULL, 0);
		check_quota(each[i], "/free/own", 1, "/free/own", 7000);
		check_quota(each[i], "/", 0, NULL, 0);
		check_quota(each[i], "", -ENOENT, NULL, 0);
		check_quota(each[i], "no path", -ENOENT, NULL, 0);
	}
	buf_free(&text);
	dat_cgroups_free(again);
	dat_cgroups_free(cgroups);
}

static void test_strange_quotas(void **state)
{
	struct dat_cgroups *cgroups = dat_cgroups_new();

	(void)state;
	assert_int_equal(dat_cgroups_parse(cgroups, DAT_CGROUPS_HEAD
		"quota\nquota 1\nquota 1 1\nquota 1 1 \nquota 0 1 /a\nquota 1 0 /a\n"
		"quota most 1 /a\nquota 1 1 a\nquota 1000000000000000000000000000 1 /a\n"), 1);
	assert_null(dat_cgroups_own_quota(cgroups, "/a"));
	assert_int_equal(dat_cgroups_parse(cgroups, DAT_CGROUPS_HEAD "quota 1 2 /a b: 3"), 1);
	assert_int_equal(dat_cgroups_own_quota(cgroups, "/a b: 3")->period, 2);
	dat_cgroups_free(cgroups);
}

static void test_below(void **state)
{
	(void)state;
	assert_true(dat_cgroup_is_below(WEB, WEB));
	assert_true(dat_cgroup_is_below(WEB "/worker", WEB));
	assert_true(dat_cgroup_is_below(WEB "/worker", WEB "/"));
	assert_false(dat_cgroup_is_below(WEB "2", WEB));
	assert_false(dat_cgroup_is_below("/system.slice", WEB));
	assert_true(dat_cgroup_is_below(WEB, "/"));
	assert_true(dat_cgroup_is_below("/", "/"));
}

/* Read a line of so many tasks, with a path of so many bytes. Return how many are known. */
static int known_of_line(size_t path_size, int nr)
{
	struct dat_cgroups *cgroups = dat_cgroups_new();
	const struct dat_task *task;
	struct buf text = { 0 };
	int known = 0;

	buf_printf(&text, "rbmap cgroups\n/");
	memset(buf_room(&text, path_size - 1), 'a', path_size - 1);
	buf_end(&text, text.data + text.size + path_size - 1);
	buf_printf(&text, ":");
	for (int pid = 1; pid <= nr; pid++)
		buf_printf(&text, " %d", pid);
	buf_printf(&text, "\n/other: %d\n", nr + 1);
	assert_int_equal(dat_cgroups_parse(cgroups, text.data), 1);
	check(cgroups, nr + 1, 0, "/other");
	for (int pid = 1; pid <= nr; pid++) {
		task = dat_cgroups_find(cgroups, pid);
		if (task)
			assert_int_equal(strlen(task->cgroup), path_size);
		known += task != NULL;
	}
	buf_free(&text);
	dat_cgroups_free(cgroups);
	return known;
}

/* The path of a line is looked up once, and is no longer than the kernel allows. */
static void test_long_path(void **state)
{
	(void)state;
	assert_int_equal(known_of_line(PATH_MAX - 1, 10), 10);
	assert_int_equal(known_of_line(PATH_MAX, 10), 0);
	assert_int_equal(known_of_line(PATH_MAX - 1, 100000), 100000);
	assert_int_equal(known_of_line(1 << 19, 100000), 0);
}

/* A host is one line, however long the text behind it is. */
static void test_hosts(void **state)
{
	static const char text[] =
		"rbmap hosts\n0 4 0 web\n4 2\n4194304 db\n\n 8 1 9 x\n6 1 7 a-name-that-is-cut-off-"
		"because-a-line-has-a-limit-of-its-own behind\n";
	const struct dat_host *host;
	struct dat_hosts *hosts;

	(void)state;
	assert_int_equal(dat_hosts_parse(&hosts, text), 1);
	assert_int_equal(dat_hosts_all(hosts, &host), 3);
	assert_string_equal(host[0].name, "web");
	assert_string_equal(host[1].name, "a-name-that-is-cut-off-because-a-line-has-a-lim");
	assert_string_equal(host[2].name, "x");
	dat_hosts_free(hosts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_learn),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_strange),
		cmocka_unit_test(test_quotas),
		cmocka_unit_test(test_strange_quotas),
		cmocka_unit_test(test_below),
		cmocka_unit_test(test_long_path),
		cmocka_unit_test(test_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
