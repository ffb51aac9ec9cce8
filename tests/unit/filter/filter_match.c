// SPDX-License-Identifier: GPL-2.0-only
/* Tests which records an expression accepts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "filter_fixture.h"

/* Allocate exactly the record, so that sanitizers find reads beyond it. */
static struct fixture_record *record_new(const char *string, const char *rest,
					 size_t *size)
{
	size_t rest_len = strlen(rest) + 1, len = strlen(string) + 1;
	struct fixture_record *record;

	*size = FIXTURE_SIZE + rest_len + len;
	record = calloc(1, *size);
	memcpy(record->rest, rest, rest_len);
	memcpy(record->rest + rest_len, string, len);
	record->where = (u32)len << 16 | (u32)(FIXTURE_SIZE + rest_len);
	return record;
}

static bool match(const char *text, const struct fixture_record *record,
		  size_t size)
{
	struct rbmap_filter_error error;
	struct rbmap_filter *filter = rbmap_filter_parse(text, fixture_find,
							 NULL, &error);
	struct fixture_record *fields;
	bool hit;

	if (!filter)
		fail_msg("'%s': %s", text, error.message);
	assert_true(rbmap_filter_verify(filter, FIXTURE_SIZE));
	hit = rbmap_filter_match(filter, record, record, size);
	/* The same record with its fields in other memory. */
	fields = malloc(FIXTURE_SIZE);
	memcpy(fields, record, FIXTURE_SIZE);
	assert_int_equal(rbmap_filter_match(filter, fields, record, size), hit);
	free(fields);
	rbmap_filter_free(filter);
	return hit;
}

static void check(const struct fixture_record *record, size_t size,
		  const char *const *yes, const char *const *no)
{
	for (; *yes; yes++) {
		if (!match(*yes, record, size))
			fail_msg("'%s' is false", *yes);
	}
	for (; *no; no++) {
		if (match(*no, record, size))
			fail_msg("'%s' is true", *no);
	}
}

static void test_numbers(void **state)
{
	static const char *const yes[] = {
		"u8 == 200", "u8 == 0xc8", "u8 == 0310", "u8 == 456",
		"u8 > 199", "u8 >= 200", "u8 < 201", "u8 <= 200", "u8 != 1",
		"u8 & 8", "!u8 & 7", "u8 < 255", "u8 >= 0", "u8 <= 255",
		"s8 == -1", "s8 == 255", "s8 < 0", "s8 > -2", "s8 <= -1",
		"s8 >= -128", "s8 & 0x80", "s8 < 127", "s8 < 128 || s8 < 1",
		"s16 == -32768", "s16 <= -32768", "s16 < 0", "s16 & 0x8000",
		"u16 == 65535", "u16 >= 65535", "u16 > 65534", "u16 & 0x8000",
		"u32 == 0xffffffff", "u32 > 5", "u32 == 0x1ffffffff",
		"s32 == 7 && s32 > -1 && s32 >= -2147483648 && s32 < 8",
		"s64 == -9223372036854775808", "s64 < 0", "s64 <= -1",
		"u64 == 0xffffffffffffffff", "u64 > 9223372036854775807",
		"u64 >= 18446744073709551615", "u64 & 0x8000000000000000",
		"cpu == 3 && CPU >= 3 && common_cpu < 4 && CPU != -1",
		"!(numbers == 0)", "!(cpu & 3)", NULL
	};
	static const char *const no[] = {
		"u8 == 201", "u8 < 200", "u8 > 200", "u8 & 7", "u8 < 0",
		"u8 > 255", "s8 < -128", "s8 > 127", "s8 == 1", "s8 > 0",
		"s16 < -32768", "u16 > 65535", "s32 > 7", "s32 < 7",
		"s64 < -9223372036854775808", "s64 > 0", "u64 < 1",
		"u64 > 0xffffffffffffffff", "s32 != 7", "cpu & 3", "cpu != 3",
		"numbers == 0", "numbers != 0", "numbers > 0", "stacktrace == 0",
		"u8 & 0", NULL
	};
	struct fixture_record *record;
	size_t size;

	(void)state;
	record = record_new("", "", &size);
	record->u8 = 200;
	record->s8 = -1;
	record->u16 = 65535;
	record->s16 = -32768;
	record->u32 = 0xffffffff;
	record->s32 = 7;
	record->u64 = UINT64_MAX;
	record->s64 = INT64_MIN;
	rbmap_filter_cpu_now = 3;
	check(record, size, yes, no);
	free(record);
}

static void test_strings(void **state)
{
	static const char *const yes[] = {
		"name == 'kworker/0:1'", "name != 'kworker/0:'",
		"name != 'kworker/0:1x'", "name ~ 'kwork*'", "name ~ '*ker*'",
		"name ~ '*'", "name ~ '**'", "name ~ '***'", "name ~ 'k*1'",
		"name ~ '*[0-9]'", "name ~ 'kworker/?:?'", "name ~ '!x*'",
		"name ~ 'kworker/0:1'", "name ~ '\\k*'", "name ~ '*[!a-z]1'",
		"name ~ '*/0:1\\'", "name ~ 'k*[]:]1'",
		/* Patterns do not match at the last byte of an array. */
		"!name ~ '*0:1'",
		"where == 'a string'", "where ~ '*ing'", "where ~ 'a *'",
		"where ~ '*s*'", "where ~ '?*?'", "where ~ '!*x*'",
		"rest == 'the rest'", "rest ~ '*rest'", "rest ~ 'the*'",
		"rest ~ '*he*'", "rest ~ 'the?rest'",
		"comm == 'self' && COMM ~ 's*' && COMM ~ '*l*'", NULL
	};
	static const char *const no[] = {
		"name == 'kworker'", "name == ''", "name ~ ''", "name ~ 'x*'",
		"name ~ '*kx*'", "name ~ '*ker/0:1'", "name ~ 'kworker/[!0]:1'",
		"name ~ '?'", "name ~ 'kworker/0:1?'", "name ~ '!*'",
		"name ~ '*k[a'", "name ~ '0*'", "where == 'a strin'",
		"where == 'a strings'", "where ~ '*strin'", "rest ~ '*res'",
		"rest == 'the'", "comm == 'kworker/0:1'", "where ~ '*[z'", NULL
	};
	static const char *const odd[] = {
		/* A pattern that begins with a digit matches literally. */
		"name == '0*' && name ~ '0*'", NULL
	};
	static const char *const full[] = {
		"name == '0123456789abcdef'", "name ~ '*9abcde'",
		"name ~ '*def*'", "name ~ '*[f]'", "name != '0123456789abcde'",
		NULL
	};
	static const char *const none[] = { NULL };
	struct fixture_record *record;
	size_t size;

	(void)state;
	record = record_new("a string", "the rest", &size);
	strcpy(record->name, "kworker/0:1");
	strcpy(rbmap_filter_comm_now, "self");
	check(record, size, yes, no);
	strcpy(record->name, "0*");
	check(record, size, odd, none);
	/* The array has no terminating 0. */
	memcpy(record->name, "0123456789abcdef", 16);
	check(record, size, full, none);
	free(record);
}

/* A string whose location is outside the record counts as empty. */
static void test_hostile(void **state)
{
	static const u32 wheres[] = {
		0xffffffff, 0xffff0000, 0x0000ffff, 0x00010000 | 100,
		0x7fff0000 | FIXTURE_SIZE,
	};
	struct fixture_record *record;
	size_t size;

	(void)state;
	record = record_new("string", "", &size);
	for (size_t i = 0; i < sizeof(wheres) / sizeof(wheres[0]); i++) {
		record->where = wheres[i];
		match("where ~ '*x*'", record, size);
		match("where ~ '*x'", record, size);
		match("where ~ 'x?*y'", record, size);
		match("where == 'string'", record, size);
	}
	record->where = 0xffff0000;
	assert_false(match("where == 'string'", record, size));
	assert_true(match("where == ''", record, size));
	assert_false(match("rest == 'x'", record, FIXTURE_SIZE));
	assert_false(match("rest ~ '*x*'", record, FIXTURE_SIZE));
	free(record);
}

/* All combinations of up to five comparisons, with all their values. */
static void test_logic(void **state)
{
	static const struct {
		const char *text;
		const char *wanted;	/* results, indexed by the bits abcde */
	} logic[] = {
		{ "a==1", "01" }, { "!a==1", "10" }, { "!!a==1", "01" },
		{ "a==1&&b==1", "0001" }, { "a==1||b==1", "0111" },
		{ "!(a==1&&b==1)", "1110" }, { "!(a==1||b==1)", "1000" },
		{ "!a==1&&b==1", "0010" }, { "!a==1||!b==1", "1110" },
		{ "a==1||b==1&&c==1", "01010111" },
		{ "a==1&&b==1||c==1", "00011111" },
		{ "(a==1||b==1)&&c==1", "00000111" },
		{ "!(a==1||b==1)&&c==1", "00001000" },
		{ "!(!a==1||(b==1&&c==1))", "01010100" },
		{ "!(a==1&&!(b==1||!c==1))", "11111011" },
		{ "a==1&&(b==1||c==1)&&!(a==1&&b==1&&c==1)", "00010100" },
	};
	static const char names[] = "abcde";

	(void)state;
	for (size_t i = 0; i < sizeof(logic) / sizeof(logic[0]); i++) {
		for (unsigned int bits = 0; logic[i].wanted[bits]; bits++) {
			struct fixture_record record = { .u8 = 1 };
			char text[256], *at = text;
			const char *from;

			/* Each name stands for u8, which is 1. */
			for (from = logic[i].text; *from; from++) {
				const char *name = strchr(names, *from);

				if (name) {
					at += sprintf(at, "u8==%u",
						bits >> (name - names) & 1);
					from += strlen("==1");
				} else {
					*at++ = *from;
				}
			}
			*at = 0;
			if (match(text, &record, FIXTURE_SIZE) !=
			    (logic[i].wanted[bits] == '1'))
				fail_msg("%s of %s", text, logic[i].text);
		}
	}
}

static void test_glob(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool hit;
	} globs[] = {
		{ "", "", true }, { "", "a", false }, { "a", "", false },
		{ "?", "", false }, { "?", "a", true }, { "??", "a", false },
		{ "*", "", true }, { "**", "", true }, { "*?", "", false },
		{ "a*b*c", "axxbxxc", true }, { "a*b*c", "axxbxx", false },
		{ "*aaaaa", "aaaaaaaaaa", true }, { "*ab", "aab", true },
		{ "[a-c]", "b", true }, { "[a-c]", "d", false },
		{ "[!a-c]", "d", true }, { "[!a-c]", "", false },
		{ "[]]", "]", true }, { "[!]]", "]", false },
		{ "[a-]", "-", true }, { "[]-a]", "^", true },
		{ "[", "[", true }, { "[a", "[a", true }, { "[a", "a", false },
		{ "[!", "[!", true }, { "[a-", "[a-", true },
		{ "[c-a]", "b", false }, { "\\*", "*", true },
		{ "\\*", "a", false }, { "\\", "", true }, { "\\", "\\", false },
		{ "a\\", "a", true }, { "\\[a]", "[a]", true },
		{ "*[0-9]x*", "ab1y2xz", true }, { "[\x80-\xff]", "\xe4", true },
		{ "x*y?z", "xyyaz", true }, { "*\\?", "what?", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(globs) / sizeof(globs[0]); i++) {
		size_t len = strlen(globs[i].text);
		char *exact = malloc(len ? len : 1);

		/* A text that ends by its length, then one that ends by a 0. */
		memcpy(exact, globs[i].text, len);
		if (rbmap_filter_glob(globs[i].pattern, exact, len) !=
		    globs[i].hit ||
		    rbmap_filter_glob(globs[i].pattern, globs[i].text,
				      len + 1) != globs[i].hit)
			fail_msg("%s of %s", globs[i].pattern, globs[i].text);
		free(exact);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_logic),
		cmocka_unit_test(test_glob),
	};

	return cmocka_run_group_tests_name("filter_match", tests, NULL, NULL);
}
