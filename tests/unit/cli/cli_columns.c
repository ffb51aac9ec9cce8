// SPDX-License-Identifier: GPL-2.0-only
/*
 * The columns before the name of an event, against snprintf() and a table of flags.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "print/columns.h"

#define NSEC_PER_SEC	1000000000ULL

/* The text that ends in out, without the columns before it */
static const char *text_of(struct buf *out)
{
	buf_add(out, "", 1);
	assert_false(out->failed);
	out->size = 0;
	return out->data;
}

static void check_time(struct columns *c, struct buf *out, uint64_t ts)
{
	uint64_t us = ts / 1000 + (ts % 1000 >= 500);
	char wanted[64];

	snprintf(wanted, sizeof(wanted), " %5" PRIu64 ".%06" PRIu64 ": ", us / 1000000,
		 us % 1000000);
	columns_add_time(c, ts, out);
	assert_string_equal(text_of(out), wanted);
}

/* Times that follow one another, that go back, and those beside each edge */
static void test_times(void **state)
{
	static const uint64_t second[] = {
		0, 1, 2, 9, 10, 99999, 100000, 4294967295, 18446744072, 18446744073,
	};
	static const int64_t beside[] = {
		-NSEC_PER_SEC, -501, -500, -499, -1, 0, 1, 499, 500, 501, 499999, 709551615,
	};
	struct buf out = { 0 };
	struct columns c = { 0 };

	(void)state;
	columns_init(&c);
	for (size_t i = 0; i < sizeof(second) / sizeof(second[0]); i++)
		for (size_t k = 0; k < sizeof(beside) / sizeof(beside[0]); k++)
			check_time(&c, &out, second[i] * NSEC_PER_SEC + beside[k]);
	check_time(&c, &out, UINT64_MAX);
	srand(1);
	for (unsigned int i = 0; i < 100000; i++) {
		check_time(&c, &out, (uint64_t)rand() << (rand() % 34));
		check_time(&c, &out, i * 100003ULL);
	}
	buf_free(&out);
}

static void test_counters(void **state)
{
	struct columns c = { .time.is_counter = true };
	struct buf out = { 0 };

	(void)state;
	columns_init(&c);
	columns_add_time(&c, 42, &out);
	assert_string_equal(text_of(&out), "           42: ");
	columns_add_time(&c, UINT64_MAX, &out);
	assert_string_equal(text_of(&out), " 18446744073709551615: ");
	buf_free(&out);
}

static void check_task(struct columns *c, struct buf *out, const char *comm, int pid, int cpu)
{
	struct rbmap_event_common common = { 0 };
	struct task_column task;
	char wanted[256];

	snprintf(wanted, sizeof(wanted), "%16s-%-*d [%03d]     0.000001: ", comm,
		 (int)c->pid_width, pid, cpu);
	columns_set_task(c, &task, comm, pid, cpu, NULL);
	for (int again = 0; again < 2; again++) {
		columns_add(c, &task, &common, 1000, out);
		assert_string_equal(text_of(out), wanted);
	}
}

/* A recording can contain any name. */
static void test_tasks(void **state)
{
	static const char *const comm[] = {
		"a", "sh", "fifteen_letters", "sixteen__letters", "seventeen_letters",
		"a name that is longer than any column that is kept, of more than 64 bytes",
		"",
	};
	static const int pid[] = { 0, 1, 99999, 4194304, INT32_MAX, -1, INT32_MIN };
	static const int cpu[] = { 0, 9, 10, 100, 999, 1000, 8191, INT32_MAX };
	struct buf out = { 0 };
	struct columns c = { 0 };

	(void)state;
	columns_init(&c);
	for (c.pid_width = 5; c.pid_width <= 7; c.pid_width += 2)
		for (size_t i = 0; i < sizeof(comm) / sizeof(comm[0]); i++)
			for (size_t k = 0; k < sizeof(pid) / sizeof(pid[0]); k++)
				for (size_t n = 0; n < sizeof(cpu) / sizeof(cpu[0]); n++)
					check_task(&c, &out, comm[i], pid[k], cpu[n]);
	buf_free(&out);
}

/*
 * An escape sequence in a name does not reach the terminal. In a merged recording the host is
 * before the number of the CPU.
 */
static void test_names(void **state)
{
	static const struct {
		const char *host, *comm, *text;
	} cases[] = {
		{ NULL, "\x1b[2J\r", "     \\x1b[2J\\x0d-7     [001]     0.000000: " },
		{ "web", "web:sh", "          web:sh-7     [web:001]     0.000000: " },
		{ "\x1b[2J", "sh", "              sh-7     [\\x1b[2J:001]     0.000000: " },
		{ "a-host-whose-name-has-as-many-characters-as-fit",
		  "a-host-whose-name-has-as-many-characters-as-fit:sixteen__letters",
		  "a-host-whose-name-has-as-many-characters-as-fit:sixteen__letters-7     "
		  "[a-host-whose-name-has-as-many-characters-as-fit:001]     0.000000: " },
	};
	struct rbmap_event_common common = { 0 };
	struct columns c = { .pid_width = 5 };
	struct buf out = { 0 };
	struct task_column task;

	(void)state;
	columns_init(&c);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		columns_set_task(&c, &task, cases[i].comm, 7, 1, cases[i].host);
		columns_add(&c, &task, &common, 0, &out);
		assert_string_equal(text_of(&out), cases[i].text);
	}
	buf_free(&out);
}

static void test_flags(void **state)
{
	static const struct {
		uint8_t flags, count;
		const char *text;
	} cases[] = {
		{ 0x00, 0x00, "....." }, { 0x01, 0x00, "d...." }, { 0x80, 0x00, "b...." },
		{ 0x81, 0x00, "D...." }, { 0x02, 0x00, ".l..." }, { 0x04, 0x00, ".n..." },
		{ 0x06, 0x00, ".b..." }, { 0x20, 0x00, ".p..." }, { 0x22, 0x00, ".L..." },
		{ 0x24, 0x00, ".N..." }, { 0x26, 0x00, ".B..." }, { 0x08, 0x00, "..h.." },
		{ 0x10, 0x00, "..s.." }, { 0x18, 0x00, "..H.." }, { 0x40, 0x00, "..z.." },
		{ 0x48, 0x00, "..Z.." }, { 0x00, 0x02, "...2." }, { 0x00, 0x30, "....3" },
		{ 0x09, 0xff, "d.hff" }, { 0x00, 0x00, "....." },
	};
	struct columns c = { .pid_width = 7, .with_flags = true };
	struct buf out = { 0 };
	struct task_column task;
	char wanted[128];

	(void)state;
	columns_init(&c);
	columns_set_task(&c, &task, "sh", 7, 1, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rbmap_event_common common = {
			.flags = cases[i].flags,
			.preempt_count = cases[i].count,
		};

		snprintf(wanted, sizeof(wanted), "%16s-%-7d [%03d] %s    12.345679: ", "sh", 7, 1,
			 cases[i].text);
		columns_add(&c, &task, &common, 12345678500, &out);
		assert_string_equal(text_of(&out), wanted);
	}
	buf_free(&out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests_name("cli_columns", tests, NULL, NULL);
}
