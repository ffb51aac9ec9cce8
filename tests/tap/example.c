// SPDX-License-Identifier: GPL-2.0-only
/* Prints results of each kind, for selftest. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static void test_child(void)
{
	if (!fork()) {
		ok(true, "child");
		exit(!ok(false, "its second"));
	}
	wait(NULL);
	ok(true, "parent");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "passes")) {
		ok(true, "%s", "text");
		is(-1, -1, "number");
		is_error(2, 2, "error");
		skip("no kernel", "skipped");
		diag("a\nb\n");
		diag("%600s", "c");
	} else if (!strcmp(what, "fails")) {
		ok(ok(true, "good") && !is(1, 2, "number"), "not equal");
		is_error(2, 0, "error");
	} else if (!strcmp(what, "ends")) {
		ok(true, "text");
		return 0;
	} else if (!strcmp(what, "bails")) {
		ok(true, "text");
		bail_out("no %s", "device");
	} else if (!strcmp(what, "forks")) {
		test_child();
	}
	return done_testing();
}
