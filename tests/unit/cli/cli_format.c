// SPDX-License-Identifier: GPL-2.0-only
/*
 * Formats from a hostile file: widths, lengths, places and ids that no kernel has. Each is
 * printed in little time, without an access outside of the record.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "print/line.h"
#include "print/session_formats.h"
#include "tap.h"

#define SECONDS	20	/* CPU time for all */

static const char common[] =
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n";

struct record {
	struct rbmap_event_common common;
	uint32_t number;
	uint32_t count;
	char bytes[8];
};

static int add(struct print_session *s, int id, const char *head, const char *print)
{
	char format[2048];

	snprintf(format, sizeof(format), "name: hostile\nID: %d\nformat:\n%s\n"
		 "\tfield:u32 number;\toffset:8;\tsize:4;\tsigned:0;\n"
		 "\tfield:u32 count;\toffset:12;\tsize:4;\tsigned:0;\n"
		 "\tfield:u8 bytes[8];\toffset:16;\tsize:8;\tsigned:0;\n\n"
		 "print fmt: %s\n", id, head, print);
	return print_session_add_format(s, "hostile", format, strlen(format));
}

/* Print a record of @id. It is exactly as large as its memory, for the sanitizers. */
static void print(struct print_session *s, int id, struct buf *out)
{
	struct record *record = malloc(sizeof(*record));
	struct rbmap_event ev = { .data = record, .size = sizeof(*record), .ts = 1 };
	struct print_line *line = print_line_new(s);

	*record = (struct record){ .common.type = id, .number = 2000000000,
				   .count = UINT32_MAX, .bytes = "\1\2\3\4\5\6\7" };
	out->size = 0;
	print_line_add(line, &ev, out);
	buf_add(out, "", 1);
	print_line_free(line);
	free(record);
}

static void test_format(const char *what, const char *format, const char *wanted)
{
	struct print_session *s = print_session_new();
	struct buf out = { 0 };

	add(s, 1, common, format);
	print(s, 1, &out);
	ok(out.size < 4096 && strstr(out.data, wanted), "%s", what);
	if (!strstr(out.data, wanted))
		diag("%.*s", 200, out.data);
	buf_free(&out);
	print_session_free(s);
}

static void test_twice(void)
{
	struct print_session *s = print_session_new();
	struct buf out = { 0 };
	char far[1024];

	snprintf(far, sizeof(far), "%s\tfield:u32 far;\toffset:2000000000;\tsize:4;\tsigned:0;\n",
		 common);
	ok(!add(s, 1, common, "\"%*ph\", 8, REC->bytes"), "a format is added");
	ok(add(s, 1, far, "\"%*ph %d\", 8, REC->bytes, REC->far"), "a second one is refused");
	ok(add(s, 2, far, "\"%d\", REC->far"), "a place out of all records is refused");
	for (int i = 0; i < 100; i++)
		add(s, 100 - i, common, "\"%d\", REC->number");
	print(s, 1, &out);
	ok(strstr(out.data, "hostile:"), "the first one prints its records");
	buf_free(&out);
	print_session_free(s);
}

static void test_common(void)
{
	struct print_session *s = print_session_new();

	ok(add(s, 1, "\tfield:unsigned short common_type;\toffset:2000000000;\tsize:2;\tsigned:0;\n",
	       "\"%d\", REC->number"), "common fields out of all records are refused");
	print_session_free(s);
}

int main(void)
{
	const struct itimerval limit = { .it_value.tv_sec = SECONDS };

	setitimer(ITIMER_PROF, &limit, NULL);
	test_format("a width of ten digits", "\"%2000000000d\", REC->number", "number=2000000000");
	test_format("a precision of ten digits", "\"%.2000000000x\", REC->number",
		    "number=2000000000");
	test_format("a width from the record", "\"%*d\", REC->number, REC->count",
		    "number=2000000000");
	test_format("a precision from the record", "\"%.*d\", REC->number, REC->count",
		    "number=2000000000");
	test_format("a width of three digits", "\"%100d\", REC->number", "    2000000000");
	test_format("a length of ten digits", "\"%s\", __print_hex(REC->bytes, 2000000000)",
		    "its format reads more");
	test_format("a length from the record", "\"%s\", __print_hex(REC->bytes, REC->count)",
		    "its format reads more");
	test_format("a number of elements from the record",
		    "\"%s\", __print_array(REC->bytes, REC->number, 4)", "its format reads more");
	test_format("a length that is an array's", "\"%s\", __print_hex(REC->bytes, 8)",
		    "01 02 03 04 05 06 07 00");
	test_twice();
	test_common();
	return done_testing();
}
