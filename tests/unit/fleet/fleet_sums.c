// SPDX-License-Identifier: GPL-2.0-only
/* The sums of an incident: exact, or unknown if one of the losses has no number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../cli/cli_synth.h"
#include "agent/incident/sums.h"
#include "recording/assemble/dat_assemble.h"

static bool go_on(void *data, double done)
{
	(void)data;
	return done <= 1;
}

static bool stopped(void)
{
	return false;
}

/* Lost before each of three events, and behind the last one */
static void make(const char *path, const uint64_t lost[4])
{
	struct rbmap_subbuf behind = { .lost = lost[3] };
	struct dat_assembly assembly = { .go_on = go_on };
	struct dat_source source = synth_source(1);
	struct dat_writer *w;

	assert_int_equal(dat_create(&w, path, &source), 0);
	for (int i = 0; i < 3; i++) {
		struct synth s = { 0 };
		struct rbmap_subbuf sb;

		synth_begin(&s, 5000 + i);
		assert_true(synth_number(&s, 5000 + i, 1, i));
		sb = synth_piece(&s, lost[i]);
		assert_int_equal(dat_add(w, 0, &sb), 0);
		dat_next_ring(w, 0);
	}
	assert_int_equal(dat_add(w, 0, &behind), 0);
	assert_int_equal(dat_finish(w, NULL, (char *[]){ NULL }, &assembly.fd), 0);
	assert_int_equal(dat_assemble(path, &assembly), 0);
	close(assembly.fd);
}

static void test_sums(void **state)
{
	static const struct { uint64_t lost[4]; const char *text; } cases[] = {
		{ { 1, 2, 3 }, "lost = 6\n" },
		{ { 0, 0, 0 }, "lost = 0\n" },
		{ { RBMAP_LOST_UNKNOWN, 2, 3 }, "lost = unknown\n" },
		{ { 1, RBMAP_LOST_UNKNOWN, 0 }, "lost = unknown\n" },
		{ { 1, 2, RBMAP_LOST_UNKNOWN }, "lost = unknown\n" },
		{ { 1, 2, 3, 4 }, "lost = 10\n" },
		{ { 1, 2, 3, RBMAP_LOST_UNKNOWN }, "lost = unknown\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char path[] = "/tmp/fleet-sums-XXXXXX";
		struct buf text = { 0 };
		struct sums sums;
		int fd = mkstemp(path);

		close(fd);
		make(path, cases[i].lost);
		fd = open(path, O_RDONLY);
		assert_int_equal(sums_read(&sums, fd, stopped), 0);
		close(fd);
		unlink(path);
		sums_add(&text, &sums);
		buf_add(&text, "", 1);
		assert_non_null(strstr(text.data, "events = 3\n"));
		assert_non_null(strstr(text.data, cases[i].text));
		buf_free(&text);
	}
}

static void check_sums(int fd, const char *events, const char *lost)
{
	struct buf text = { 0 };
	struct sums sums;

	assert_int_equal(sums_read(&sums, fd, stopped), 0);
	sums_add(&text, &sums);
	buf_add(&text, "", 1);
	assert_non_null(strstr(text.data, events));
	assert_non_null(strstr(text.data, lost));
	buf_free(&text);
}

/* A file that was cut off, or has a page without sense, does not say how much it has lost. */
static void test_damaged(void **state)
{
	const uint64_t lost[4] = { 1, 2, 3 };
	char path[] = "/tmp/fleet-sums-XXXXXX";
	const uint32_t word = 0;	/* an event of no bytes */
	struct stat st;
	off_t last;
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	make(path, lost);
	fd = open(path, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	last = st.st_size - SYNTH_SUBBUF;
	check_sums(fd, "events = 3\n", "lost = 6\n");
	assert_int_equal(pwrite(fd, &word, sizeof(word), last + 16), sizeof(word));
	assert_int_equal(pwrite(fd, &word, sizeof(word), last + 20), sizeof(word));
	assert_int_equal(sums_state(fd), SUMS_COMPLETE);
	check_sums(fd, "events = 2\n", "lost = unknown\n");
	assert_int_equal(ftruncate(fd, last), 0);
	assert_int_equal(sums_state(fd), SUMS_DAMAGED);
	check_sums(fd, "events = 2\n", "lost = unknown\n");
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("fleet_sums", tests, NULL, NULL);
}
