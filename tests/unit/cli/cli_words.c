// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers from the command line, JSON to the output, names from events.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/complain.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/suggest.h"
#include "base/units.h"
#include "cli_stderr.h"
#include "cli_synth.h"
#include "command/command.h"
#include "recording/write/cmdlines.h"
#include "symbols/symbol_use.h"

static void test_numbers(void **state)
{
	static const char *const bad[] = {
		"", " 1", "1 ", "-1", "+1", "0x10", "1e3", "abc", "1.5",
		"99999999999999999999999",
	};
	uint64_t value;

	(void)state;
	assert_true(parse_u64("0", &value));
	assert_int_equal(value, 0);
	assert_true(parse_u64("18446744073709551615", &value));
	assert_true(value == UINT64_MAX);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(parse_u64(bad[i], &value));
}

static void test_seconds(void **state)
{
	static const char *const bad[] = {
		"", "0", "-1", "nan", "inf", "1d", "1e99", "0s", "1 s", "s", "5mss", " 1", "0.0",
	};
	double value;

	(void)state;
	assert_true(parse_seconds("0.25", &value));
	assert_true(value == 0.25);
	assert_true(parse_seconds(".5", &value));
	assert_true(parse_seconds("10", &value));
	assert_true(parse_seconds("10s", &value) && value == 10);
	assert_true(parse_seconds("500ms", &value) && value == 0.5);
	assert_true(parse_seconds("2.5m", &value) && value == 150);
	assert_true(parse_seconds("1h", &value) && value == 3600);
	assert_true(parse_seconds("250us", &value) && value == 250 * 1e-6);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(parse_seconds(bad[i], &value));
}

/* Each pair: the bytes, and how a terminal gets them */
static void test_printable(void **state)
{
	static const char *const pairs[][2] = {
		{ "", "" }, { "plain text, a\tb ~", "plain text, a\tb ~" },
		{ "\x1b[2Jred", "\\x1b[2Jred" }, { "a\rb\nc", "a\\x0db\\x0ac" },
		{ "\x7f\x01", "\\x7f\\x01" }, { "\xc2\x9b" "2J", "\\xc2\\x9b2J" },
		{ "\x9b" "2J", "\\x9b2J" }, { "\xc3\xa4\xc2\xa0", "\xc3\xa4\xc2\xa0" },
		{ "\xc0\x9b", "\\xc0\\x9b" }, { "cut \xe2\x82", "cut \\xe2\\x82" },
		{ "seven..\x1b", "seven..\\x1b" }, { "eight...\x1b", "eight...\\x1b" },
		{ "user\xe2\x80\xaetxt.exe", "user\\xe2\\x80\\xaetxt.exe" },
		{ "a\xe2\x80\x8b" "b\xe2\x81\xa9", "a\\xe2\\x80\\x8bb\\xe2\\x81\\xa9" },
		{ "\xd8\x9c\xc2\xad\xef\xbb\xbf", "\\xd8\\x9c\\xc2\\xad\\xef\\xbb\\xbf" },
		{ "\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81" },
		{ "\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "the last of many bytes \x1f", "the last of many bytes \\x1f" },
	};
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const char *text = pairs[i][0], *wanted = pairs[i][1];

		assert_int_equal(is_printable(text, strlen(text)), !strcmp(text, wanted));
		b.size = 0;
		buf_add_printable(&b, text, strlen(text));
		buf_add(&b, "", 1);
		assert_string_equal(b.data, wanted);
		b.size = 0;
		buf_add_string(&b, text);
		b.size--;
		buf_make_printable(&b, 0);
		buf_add(&b, "", 1);
		assert_string_equal(b.data, wanted);
	}
	/* Each byte, at each place of a word */
	for (int byte = 0; byte < 256; byte++) {
		for (size_t at = 0; at < 16; at++) {
			char text[16];

			memset(text, 'x', sizeof(text));
			text[at] = byte;
			assert_int_equal(is_printable(text, sizeof(text)),
					 byte == '\t' || (byte >= ' ' && byte < 0x7f));
		}
	}
	buf_free(&b);
}

/* A recording's text in a message does nothing to the terminal. */
static void test_complain(void **state)
{
	static const char wanted[] =
		"rbmap: a.dat: its clock, \\x1b]0;title\\x07\\x0arbmap: all is well, \xc3\xa4\n";
	struct kept_stderr kept;
	char text[256];

	(void)state;
	keep_stderr(&kept);
	complain("%s: its clock, %s", "a.dat", "\x1b]0;title\a\nrbmap: all is well, \xc3\xa4");
	end_stderr(&kept, text, sizeof(text));
	assert_string_equal(text, wanted);
}

static void test_json(void **state)
{
	static const char wanted[] =
		"{\"a\": \"q\\\" b\\\\ n\\u000a \xc3\xa4 \\ufffd\\ufffd\", "
		"\"n\": -1, \"l\": [true, false], \"e\": [], \"z\": null}\n";
	char *text = NULL;
	size_t size;
	struct json j = { .out = open_memstream(&text, &size),
			  .compact = true };

	(void)state;
	json_open(&j, NULL, '{');
	json_string(&j, "a", "q\" b\\ n\n \xc3\xa4 \xff\xc3");
	json_number(&j, "n", -1);
	json_open(&j, "l", '[');
	json_bool(&j, NULL, true);
	json_bool(&j, NULL, false);
	json_close(&j, ']');
	json_open(&j, "e", '[');
	json_close(&j, ']');
	json_null(&j, "z");
	json_close(&j, '}');
	fclose(j.out);
	assert_string_equal(text, wanted);
	free(text);
}

/* Each byte, at each place of a word */
static void test_json_bytes(void **state)
{
	(void)state;
	for (int byte = 0; byte < 256; byte++) {
		bool plain = byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\';

		for (size_t at = 0; at < 20; at++) {
			struct buf b = { 0 };
			char text[20];

			memset(text, 'x', sizeof(text));
			text[at] = byte;
			json_add_string(&b, text, sizeof(text));
			assert_int_equal(b.size == sizeof(text) + 2, plain);
			assert_true(!plain || !memcmp(b.data + 1, text, sizeof(text)));
			buf_free(&b);
		}
	}
}

/* Characters without an image are escaped, beyond 16 bits by two sequences. */
static void test_json_hidden(void **state)
{
	static const char text[] = "a\xe2\x80\xae" "b\xc2\xad\xc3\xa4\xf3\xa0\x81\x81\xf0\x9f\x90\xa7";
	static const char wanted[] = "\"a\\u202eb\\u00ad\xc3\xa4\\udb40\\udc41\xf0\x9f\x90\xa7\"";
	struct buf b = { 0 };

	(void)state;
	json_add_string(&b, text, strlen(text));
	assert_int_equal(b.size, strlen(wanted));
	assert_memory_equal(b.data, wanted, b.size);
	buf_free(&b);
}

static void test_foreign(void **state)
{
	(void)state;
	assert_non_null(strstr(event_hint("kprobe"), "kprobe_events"));
	assert_non_null(strstr(event_hint("function_graph"), "have tracers"));
	assert_non_null(strstr(event_hint("page-faults"), "perf has counters"));
	assert_non_null(strstr(syscall_hint("syscalls:sys_enter_openat"), "raw_syscalls:"));
	assert_null(event_hint("syscalls:sys_enter_openat"));
	assert_null(event_hint("sched:sched_switch"));
	assert_null(event_hint("sys_enter"));
	assert_null(command_hint("stat"));
}

static void test_kallsyms(void **state)
{
	(void)state;
	assert_true(kallsyms_wanted("print fmt: \"%pS\", REC->ip"));
	assert_true(kallsyms_wanted("print fmt: \"%p %ps\", a, b"));
	assert_true(kallsyms_wanted("print fmt: \"%-16ps\", REC->ip"));
	assert_false(kallsyms_wanted("print fmt: \"%p %px %d\", a, b"));
	assert_false(kallsyms_wanted("field:%ps"));
}

/* An event of a later kernel, with its name outside of the fixed part. */
static const char fork_format[] =
	"name: sched_process_fork\nID: 9\n" SYNTH_COMMON
	"\tfield:__data_loc char[] child_comm;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:pid_t child_pid;\toffset:12;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"\"\n";

/* The place of the name counts from the end of its field. */
static const char relative_format[] =
	"name: clone\nID: 10\n" SYNTH_COMMON
	"\tfield:__rel_loc char[] child_comm;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:pid_t child_pid;\toffset:12;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"\"\n";

struct fork_event {
	struct rbmap_event_common common;
	uint32_t child_comm;
	int32_t child_pid;
	char text[8];
};

static void learn(struct cmdlines *cmdlines, const struct comm_fields *fields,
		  uint64_t ts, const void *data, size_t size)
{
	struct rbmap_event ev = { .ts = ts, .data = data, .size = size };

	cmdlines_learn_event(cmdlines, fields, &ev);
}

static void test_cmdlines(void **state)
{
	struct synth_switch_event sw = {
		.common = { .type = SYNTH_SWITCH, .pid = 1000001 },
		.prev_comm = "old", .prev_pid = 1000001,
		.next_comm = "line\nbreak", .next_pid = 1000002,
	};
	struct fork_event fork_ev = {
		.common = { .type = 9, .pid = 1000001 },
		.child_comm = 5 << 16 | 16, .child_pid = 1000003,
		.text = "kid1",
	};
	struct fork_event clone_ev = {
		.common = { .type = 10, .pid = 1000001 },
		.child_comm = 5 << 16 | 4, .child_pid = 1000006,
		.text = "kid2",
	};
	struct comm_fields *fields = comm_fields_new();
	struct cmdlines *a = cmdlines_new(), *b = cmdlines_new();
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(comm_fields_add(fields, synth_switch), 0);
	assert_int_equal(comm_fields_add(fields, synth_print), 0);
	assert_int_equal(comm_fields_add(fields, fork_format), 0);
	assert_int_equal(comm_fields_add(fields, relative_format), 0);
	assert_true(comm_fields_add(fields, "nonsense") < 0);

	learn(a, fields, 100, &sw, sizeof(sw));
	strcpy(sw.prev_comm, "new");
	sw.common.pid = 1000004;		/* nobody names it */
	learn(b, fields, 200, &sw, sizeof(sw));
	learn(b, fields, 300, &fork_ev, sizeof(fork_ev));
	learn(b, fields, 300, &clone_ev, sizeof(clone_ev));
	/* Shorter than it should be, or pointing out of itself. */
	learn(b, fields, 400, &sw, 30);
	fork_ev.child_comm = 5 << 16 | 60000;
	learn(b, fields, 500, &fork_ev, sizeof(fork_ev));
	/* A name that no event mentions: the recording may still have its events. */
	cmdlines_learn(b, 1000005, "quiet", 5, 1);

	cmdlines_merge(b, a);
	buf_add(&out, "\n", 1);
	cmdlines_print(b, &out, 4096);
	buf_add(&out, "", 1);
	assert_non_null(strstr(out.data, "\n1000001 new\n"));
	assert_non_null(strstr(out.data, "\n1000002 line\n"));
	assert_non_null(strstr(out.data, "\n1000003 kid1\n"));
	assert_non_null(strstr(out.data, "\n1000006 kid2\n"));
	assert_null(strstr(out.data, "1000004"));
	assert_non_null(strstr(out.data, "1000005 quiet\n"));
	buf_free(&out);
	/* There is only so much room in a file. */
	cmdlines_print(b, &out, 45);
	assert_true(out.size <= 45);
	buf_free(&out);
	cmdlines_free(a);
	cmdlines_free(b);
	comm_fields_free(fields);
}

static void test_many_cmdlines(void **state)
{
	struct comm_fields *fields = comm_fields_new();
	struct cmdlines *a = cmdlines_new();
	struct rbmap_event_common common = { .type = 1 };
	struct buf out = { 0 };
	char name[16];
	size_t lines = 0;
	int last = 0;

	(void)state;
	for (int i = 1; i <= 20000; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		cmdlines_learn(a, 5000000 + i, name, sizeof(name), i);
		common.pid = 5000000 + i;
		learn(a, fields, i, &common, sizeof(common));
	}
	cmdlines_print(a, &out, SIZE_MAX);
	buf_add(&out, "", 1);
	for (const char *line = out.data; *line; line = strchr(line, '\n') + 1, lines++) {
		assert_true(atoi(line) > last);
		last = atoi(line);
	}
	assert_int_equal(lines, 20000);
	buf_free(&out);
	cmdlines_free(a);
	comm_fields_free(fields);
}

/* Names that a message suggests are those of a file. */
static void test_suggestions(void **state)
{
	struct suggest suggest = { .wanted = "web" };
	char list[64];

	(void)state;
	suggest_offer(&suggest, "web", "web\033[31m");
	suggest_offer(&suggest, "web.service", "/web.service");
	suggest_list(&suggest, list, sizeof(list));
	assert_string_equal(list, "web\\x1b[31m, /web.service");
	/* A name is whole or left out. */
	for (size_t size = 1; size < sizeof(list); size++) {
		suggest_list(&suggest, list, size);
		assert_string_equal(list, size < 12 ? "" : size < 26 ? "web\\x1b[31m" :
				    "web\\x1b[31m, /web.service");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_seconds),
		cmocka_unit_test(test_printable),
		cmocka_unit_test(test_complain),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_bytes),
		cmocka_unit_test(test_json_hidden),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_cmdlines),
		cmocka_unit_test(test_many_cmdlines),
		cmocka_unit_test(test_suggestions),
	};

	return cmocka_run_group_tests_name("cli_words", tests, NULL, NULL);
}
