// SPDX-License-Identifier: GPL-2.0-only
/* The end of a command that reads a running kernel: which events it reads, and what it counts. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/process.h"
#include "live/live_events.h"

#define COMMITTED	5000	/* events that came to the rings */

static char dir[] = "/tmp/rbmap-cli-live.XXXXXX";
static unsigned int given;
static struct private_buffer own;
static struct rbmap_loss reported;

/* The library's side: a number of events, and a signal behind the first of them. */
int rbmap_merge_next(struct rbmap_merge *merge, struct rbmap_event *ev)
{
	(void)merge;
	if (given == COMMITTED)
		return 0;
	if (!given++)
		raise(SIGINT);
	memset(ev, 0, sizeof(*ev));
	return 1;
}

int rbmap_merge_wait(struct rbmap_merge *merge, int timeout_ms)
{
	(void)merge;
	(void)timeout_ms;
	return 0;
}

int rbmap_merge_loss(struct rbmap_merge *merge, struct rbmap_loss *loss)
{
	(void)merge;
	*loss = reported;
	return 0;
}

/* The tests open nothing. */
int rbmap_merge_open_path(struct rbmap_merge **merge, const char *path, unsigned int flags)
{
	(void)merge;
	(void)path;
	(void)flags;
	return -ENOSYS;
}

int rbmap_merge_observe_path(struct rbmap_merge **merge, const char *path, unsigned int flags)
{
	return rbmap_merge_open_path(merge, path, flags);
}

int rbmap_merge_pace(struct rbmap_merge *merge, const char *buffer_percent)
{
	(void)merge;
	(void)buffer_percent;
	return -ENOSYS;
}

void rbmap_merge_close(struct rbmap_merge *merge)
{
	(void)merge;
}

/* The kernel has given some events out, a whole piece of a ring at once, and missed some. */
static void write_stats(unsigned int read, unsigned int missed)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "mkdir -p %s/per_cpu/cpu0 && printf 'entries: %u\nread events: %u\nmissed: %u\n' >%s/per_cpu/cpu0/stats",
		 dir, COMMITTED - read, read, missed, dir);
	assert_int_equal(system(command), 0);
}

/* Store what the sums say on stderr. */
static void print_loss(struct live_events *live, uint64_t events, char *text, size_t size)
{
	FILE *file = tmpfile();
	int before = dup(STDERR_FILENO);
	struct live_loss loss;
	size_t len;

	assert_non_null(file);
	assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
	loss = live_events_loss(live);
	live_events_print_loss(live, events, &loss);
	fflush(stderr);
	assert_true(dup2(before, STDERR_FILENO) >= 0);
	close(before);
	rewind(file);
	len = fread(text, 1, size - 1, file);
	text[len] = 0;
	fclose(file);
}

static bool each_event(void *data, const struct rbmap_event *ev)
{
	(void)data;
	(void)ev;
	return true;
}

static int begin(void **state)
{
	(void)state;
	given = 0;
	reported = (struct rbmap_loss){ 0 };
	own = (struct private_buffer){ .kept.name = "record-1" };
	live_events_catch_signals();
	live_events_continue();
	return 0;
}

/* Nobody else reads a buffer of the command's own, and it ends with the command. */
static void test_deadline(void **state)
{
	struct live_events live = { .own = &own };

	(void)state;
	assert_true(live_events_last_deadline(&live) > now() + 1000000);
	own.kept.name[0] = 0;
	assert_true(live_events_last_deadline(&live) < now() + 2);
}

/* A signal cuts the last events off. They are counted. */
static void test_cut(void **state)
{
	struct live_events live = { .own = &own };
	struct rbmap_event ev;
	char text[512];

	(void)state;
	write_stats(400, 0);
	for (int i = 0; i < 300; i++)
		assert_int_equal(live_events_next(&live, &ev), 1);
	print_loss(&live, 300, text, sizeof(text));
	assert_non_null(strstr(text, "300 events read, 0 lost\n"));
	assert_non_null(strstr(text, "\n  4700 more events were not read"));

	/* They stay in a buffer of others. */
	own.kept.name[0] = 0;
	print_loss(&live, 300, text, sizeof(text));
	assert_null(strstr(text, "not read"));
}

/* All are read, also if the deadline of the recording is over. */
static void test_whole(void **state)
{
	struct live_events live = { .own = &own };
	char text[512];

	(void)state;
	assert_true(live_events_drain(&live, 0, each_event, NULL));
	live_events_continue();
	assert_true(live_events_drain(&live, live_events_last_deadline(&live), each_event, NULL));
	assert_int_equal(given, COMMITTED);
	write_stats(COMMITTED, 0);
	/* A signal that comes behind the last event cuts nothing off. */
	raise(SIGINT);
	print_loss(&live, COMMITTED, text, sizeof(text));
	assert_string_equal(text, "5000 events read, 0 lost\n");
}

/* Losses that no event carries are in the sum, which is that of stderr and of JSON. */
static void test_loss(void **state)
{
	struct live_events live = {
		.own = &own, .missed_before = 2, .before = { .overrun = 1, .total = 1 },
	};
	char text[512];

	(void)state;
	write_stats(COMMITTED, 7);
	reported = (struct rbmap_loss){ .overrun = 31, .total = 31, .reported = 20 };
	assert_int_equal(live_events_loss(&live).sum.total, 35);
	print_loss(&live, 10, text, sizeof(text));
	assert_non_null(strstr(text, "10 events read, 35 lost\n"));
	assert_non_null(strstr(text, "\n  30 overwritten "));
	assert_non_null(strstr(text, "\n  5 missed"));

	/* Events also carry what was lost before the command. */
	reported.reported = 50;
	assert_int_equal(live_events_loss(&live).sum.total, 55);

	live.observe = true;
	assert_int_equal(live_events_loss(&live).sum.total, 36);
	print_loss(&live, 10, text, sizeof(text));
	assert_non_null(strstr(text, "10 events seen, 36 missed\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_deadline, begin),
		cmocka_unit_test_setup(test_cut, begin),
		cmocka_unit_test_setup(test_whole, begin),
		cmocka_unit_test_setup(test_loss, begin),
	};
	char command[64];
	int ret;

	if (!mkdtemp(dir))
		return 1;
	control_set_root(dir);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) || ret;
}
