// SPDX-License-Identifier: GPL-2.0-only
/* Tests of lines of dynamic_events: valid ones, and the errors of invalid ones. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dynamic_memory.h"

/* Describe the parsed line in another notation. */
static void describe(const struct rbmap_dynamic_line *line, char *text,
		     size_t size)
{
	FILE *out = fmemopen(text, size, "w");

	fprintf(out, "%s %s/%s %s", line->remove ? "remove" : "add",
		line->group, line->event, line->tracepoint);
	for (unsigned int i = 0; i < line->program.nr; i++) {
		const struct rbmap_fetch *fetch = &line->program.fetch[i];

		fprintf(out, "; %s@%u arg%u", fetch->name, fetch->at,
			fetch->arg);
		for (unsigned int k = 0; k < fetch->nr_offsets; k++)
			fprintf(out, "[%d]", fetch->offset[k]);
		switch (fetch->kind) {
		case RBMAP_FETCH_REGISTER:
			fprintf(out, " register %c%u", fetch->form, 8 * fetch->size);
			break;
		case RBMAP_FETCH_NUMBER:
			fprintf(out, " %c%u", fetch->form, 8 * fetch->size);
			break;
		case RBMAP_FETCH_BITS:
			fprintf(out, " %c%u bits %u+%u", fetch->form,
				8 * fetch->size, fetch->bit, fetch->width);
			break;
		case RBMAP_FETCH_ARRAY:
			fprintf(out, " %u of %c%u", fetch->elements,
				fetch->form, 8 * fetch->size);
			break;
		case RBMAP_FETCH_STRING:
			fprintf(out, " string");
			break;
		}
	}
	if (!line->remove)
		fprintf(out, "; %u bytes%s", line->program.size,
			line->program.reads ? ", reads" : "");
	fclose(out);
}

static void test_good(void **state)
{
	static const struct {
		const char *text, *wanted;
	} lines[] = {
		{ "t:g/e tp", "add g/e tp; 12 bytes" },
		{ "t:g/e tp  \t", "add g/e tp; 12 bytes" },
		{ "-:g/e", "remove g/e " },
		{ "-:g/e ", "remove g/e " },
		{ "t:_G9/E_9 T_9", "add _G9/E_9 T_9; 12 bytes" },
		{ "t:g/e tp a=$arg1:u8", "add g/e tp; a@12 arg1 register u8; 13 bytes" },
		{ "t:g/e tp a=$arg1:u8 b=$arg2:s16 c=$arg3:x32 d=$arg12:u64",
		  "add g/e tp; a@12 arg1 register u8; b@14 arg2 register s16; c@16 arg3 register x32; d@24 arg12 u64; 32 bytes, reads" },
		{ "t:g/e tp a=$arg1:x64", "add g/e tp; a@16 arg1 x64; 24 bytes" },
		{ "t:g/e tp\ta=+0($arg1):s64",
		  "add g/e tp; a@16 arg1[0] s64; 24 bytes, reads" },
		{ "t:g/e tp a=-8(+0x1F($arg1)):x8",
		  "add g/e tp; a@12 arg1[31][-8] x8; 13 bytes, reads" },
		{ "t:g/e tp a=+2147483647(-2147483647($arg1)):x8",
		  "add g/e tp; a@12 arg1[-2147483647][2147483647] x8; 13 bytes, reads" },
		{ "t:g/e tp a=+1(+2(+3(+4(+5(+6(+7(+8($arg1)))))))):u8",
		  "add g/e tp; a@12 arg1[8][7][6][5][4][3][2][1] u8; 13 bytes, reads" },
		{ "t:g/e tp a=$arg1:string b=+4(+8($arg2)):string",
		  "add g/e tp; a@12 arg1 string; b@16 arg2[8][4] string; 20 bytes, reads" },
		{ "t:g/e tp a=+0($arg1):u8[64] b=+0($arg1):s64[1]",
		  "add g/e tp; a@12 arg1[0] 64 of u8; b@80 arg1[0] 1 of s64; 88 bytes, reads" },
		{ "t:g/e tp a=$arg1:b3@5/8 b=+0($arg1):sb64@0/64 c=$arg2:b1@63/64",
		  "add g/e tp; a@12 arg1 u8 bits 5+3; b@16 arg1[0] s64 bits 0+64; c@24 arg2 u64 bits 63+1; 32 bytes, reads" },
		{ "t:abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz012345678901/abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz012345678901 "
		  "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz012345678901 "
		  "abcdefghijklmnopqrstuvwxyz012345=$arg1:u8",
		  "add abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz012345678901/abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz012345678901 "
		  "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz012345678901; "
		  "abcdefghijklmnopqrstuvwxyz012345@12 arg1 register u8; 13 bytes" },
	};
	struct rbmap_dynamic_line line;
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		line_parse(lines[i].text, &line);
		describe(&line, text, sizeof(text));
		assert_string_equal(text, lines[i].wanted);
	}
}

static void refused(const char *text, size_t at, const char *what)
{
	struct rbmap_dynamic_line line;
	struct rbmap_line_error error = { 0 };

	if (rbmap_dynamic_parse(text, strlen(text), RECORD_HEADER, RECORD_MAX,
				&line, &error))
		fail_msg("the line was not refused: \"%s\"", text);
	if (error.at != at || !strstr(error.what, what))
		fail_msg("\"%s\": at %zu \"%s\", not %zu \"%s\"", text, error.at,
			 error.what, at, what);
}

static void test_bad(void **state)
{
	static const char name33[] = "abcdefghijklmnopqrstuvwxyz0123456";
	static const struct {
		const char *text;
		size_t at;
		const char *what;
	} lines[] = {
		{ "", 0, "t:GROUP/EVENT" },
		{ " t:g/e tp", 0, "t:GROUP/EVENT" },
		{ "p:g/e tp", 0, "t:GROUP/EVENT" },
		{ "t", 0, "t:GROUP/EVENT" },
		{ "t:", 2, "group" },
		{ "t:/e tp", 2, "group" },
		{ "t:1g/e tp", 2, "group" },
		{ "t:../e tp", 2, "group" },
		{ "t:g", 3, "'/'" },
		{ "t:g.h/e tp", 3, "'/'" },
		{ "t:g//e tp", 4, "event" },
		{ "t:g/../e tp", 4, "event" },
		{ "t:g/e", 5, "tracepoint" },
		{ "t:g/e ", 6, "tracepoint" },
		{ "t:g/e/f tp", 5, "blank" },
		{ "t:g/e tp:f", 8, "blank" },
		{ "t:g/e 9", 6, "tracepoint" },
		{ "t:enable/e tp", 2, "file of that name" },
		{ "t:header_page/e tp", 2, "file of that name" },
		{ "t:header_event/e tp", 2, "file of that name" },
		{ "t:g/enable tp", 4, "file of that name" },
		{ "t:g/filter tp", 4, "file of that name" },
		{ "-:g/e tp", 6, "end of the line" },
		{ "-:g/ex$", 6, "end of the line" },
		{ "t:g/e tp a", 10, "'='" },
		{ "t:g/e tp =$arg1:u8", 9, "NAME" },
		{ "t:g/e tp a=", 11, "$argN" },
		{ "t:g/e tp a=$arg:u8", 15, "1 to 12" },
		{ "t:g/e tp a=$arg0:u8", 15, "from 1" },
		{ "t:g/e tp a=$arg13:u8", 15, "1 to 12" },
		{ "t:g/e tp a=$arg4294967297:u8", 15, "1 to 12" },
		{ "t:g/e tp a=$arg0x1:u8", 15, "from 1" },
		{ "t:g/e tp a=arg1:u8", 11, "$argN" },
		{ "t:g/e tp a=@1234:u8", 11, "$argN" },
		{ "t:g/e tp a=%ax:u8", 11, "$argN" },
		{ "t:g/e tp a=+($arg1):u8", 12, "offset" },
		{ "t:g/e tp a=+-1($arg1):u8", 12, "offset" },
		{ "t:g/e tp a=+0x($arg1):u8", 12, "offset" },
		{ "t:g/e tp a=+2147483648($arg1):u8", 12, "offset" },
		{ "t:g/e tp a=+0x80000000($arg1):u8", 12, "offset" },
		{ "t:g/e tp a=+99999999999999999999($arg1):u8", 12, "offset" },
		{ "t:g/e tp a=+1:u8", 13, "'('" },
		{ "t:g/e tp a=+1($arg1:u8", 19, "')'" },
		{ "t:g/e tp a=+1(+1($arg1):u8", 23, "')'" },
		{ "t:g/e tp a=+1($arg1)):u8", 20, "':'" },
		{ "t:g/e tp a=+1(+1(+1(+1(+1(+1(+1(+1(+1($arg1))))))))):u8", 35, "at most 8" },
		{ "t:g/e tp a=$arg1", 16, "':'" },
		{ "t:g/e tp a=$arg1:", 17, "no such type" },
		{ "t:g/e tp a=$arg1:int", 17, "no such type" },
		{ "t:g/e tp a=$arg1:u7", 17, "no such type" },
		{ "t:g/e tp a=$arg1:u128", 18, "no such type" },
		{ "t:g/e tp a=$arg1:u", 18, "no such type" },
		{ "t:g/e tp a=$arg1:u8x", 19, "blank" },
		{ "t:g/e tp a=$arg1:strings", 23, "blank" },
		{ "t:g/e tp a=$arg1:string[2]", 23, "blank" },
		{ "t:g/e tp a=$arg1:u8[2]", 20, "no array" },
		{ "t:g/e tp a=+0($arg1):u8[0]", 24, "1 to 64" },
		{ "t:g/e tp a=+0($arg1):u8[65]", 24, "1 to 64" },
		{ "t:g/e tp a=+0($arg1):u8[-1]", 24, "1 to 64" },
		{ "t:g/e tp a=+0($arg1):u8[]", 24, "1 to 64" },
		{ "t:g/e tp a=+0($arg1):u8[2", 25, "']'" },
		{ "t:g/e tp a=$arg1:b", 18, "1 to 64" },
		{ "t:g/e tp a=$arg1:b0@0/8", 18, "no such bits" },
		{ "t:g/e tp a=$arg1:b9@0/8", 18, "no such bits" },
		{ "t:g/e tp a=$arg1:b8@1/8", 18, "no such bits" },
		{ "t:g/e tp a=$arg1:b64@1/64", 18, "no such bits" },
		{ "t:g/e tp a=$arg1:b65@0/64", 18, "1 to 64" },
		{ "t:g/e tp a=$arg1:b1@64/64", 20, "0 to 63" },
		{ "t:g/e tp a=$arg1:b1@0/9", 18, "8, 16, 32" },
		{ "t:g/e tp a=$arg1:b1@0/128", 22, "8, 16, 32" },
		{ "t:g/e tp a=$arg1:b1/8", 19, "'@'" },
		{ "t:g/e tp a=$arg1:sb1@0", 22, "'/'" },
		{ "t:g/e tp a=$arg1:b1@0/8[2]", 23, "blank" },
		{ "t:g/e tp common_pid=$arg1:u8", 9, "already" },
		{ "t:g/e tp common_x=$arg1:u8", 9, "already" },
		{ "t:g/e tp __faults=$arg1:u8", 9, "already" },
		{ "t:g/e tp a=$arg1:u8 a=$arg2:u8", 20, "already" },
		{ "t:g/e tp a=$arg1:u8,b=$arg2:u8", 19, "blank" },
		{ "t:g/e tp a=$arg1:u8\nt:g/f tp", 19, "blank" },
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		refused(lines[i].text, lines[i].at, lines[i].what);
	snprintf(text, sizeof(text), "t:%s%s/e tp", name33, name33);
	refused(text, 2, "at most 64");
	snprintf(text, sizeof(text), "t:g/%s%s tp", name33, name33);
	refused(text, 4, "at most 64");
	snprintf(text, sizeof(text), "t:g/e tp %s=$arg1:u8", name33);
	refused(text, 9, "at most 32");
	snprintf(text, sizeof(text), "t:g/e %s%s", name33, name33);
	refused(text, 6, "at most 64");
}

/* A 0 does not end the line, and no byte after the line is read. */
static void test_length(void **state)
{
	static const char good[] = "t:g/e tp a=$arg1:u16";
	struct rbmap_dynamic_line line;
	struct rbmap_line_error error;
	char *text;

	(void)state;
	assert_false(rbmap_dynamic_parse("t:g/e tp\0 a=$arg1:u8", 20, 8, 4072,
					 &line, &error));
	assert_int_equal(error.at, 8);
	assert_false(rbmap_dynamic_parse("t:g/e\0tp", 8, 8, 4072, &line,
					 &error));
	assert_int_equal(error.at, 5);
	for (size_t len = 0; len < sizeof(good); len++) {
		text = malloc(len ?: 1);
		memcpy(text, good, len);
		memset(&error, 0, sizeof(error));
		if (!rbmap_dynamic_parse(text, len, 8, 4072, &line, &error)) {
			assert_true(error.at <= len);
			assert_non_null(error.what);
		}
		free(text);
	}
}

static size_t append(char *text, const char *format, unsigned int i)
{
	return sprintf(text + strlen(text), format, i);
}

/* Fields up to the limits, and one field more. */
static void test_limits(void **state)
{
	struct rbmap_dynamic_line line;
	char text[4096] = "t:g/e tp";
	size_t end;

	(void)state;
	for (unsigned int i = 0; i < 32; i++)
		append(text, " f%u=$arg1:u64", i);
	line_parse(text, &line);
	assert_int_equal(line.program.nr, 32);
	assert_int_equal(line.program.size, 16 + 32 * 8);
	end = strlen(text);
	append(text, " f%u=$arg1:u8", 32);
	refused(text, end + 1, "at most 32");

	strcpy(text, "t:g/e tp");
	for (unsigned int i = 0; i < 15; i++)
		append(text, " f%u=$arg1:string", i);
	line_parse(text, &line);
	assert_int_equal(line.program.nr_strings, 15);
	end = strlen(text);
	append(text, " f%u=$arg1:string", 15);
	refused(text, end + 1, "too large");

	strcpy(text, "t:g/e tp");
	for (unsigned int i = 0; i < 7; i++)
		append(text, " f%u=+0($arg1):u64[64]", i);
	append(text, " f%u=+0($arg1):u64[58]", 7);
	line_parse(text, &line);
	assert_int_equal(line.program.size, 16 + (7 * 64 + 58) * 8);
	end = strlen(text);
	append(text, " f%u=+0($arg1):string", 8);
	refused(text, end + 1, "too large");
	text[end] = 0;
	append(text, " f%u=+0($arg1):u8[9]", 8);
	refused(text, end + 1, "too large");
	text[end] = 0;
	append(text, " f%u=+0($arg1):u8[8]", 8);
	line_parse(text, &line);
	assert_int_equal(line.program.size, RECORD_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
