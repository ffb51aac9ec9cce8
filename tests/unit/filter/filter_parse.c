// SPDX-License-Identifier: GPL-2.0-only
/* Tests valid and invalid expressions, their errors, and programs to refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "filter_fixture.h"

static struct rbmap_filter *parse(const char *text,
				  struct rbmap_filter_error *error)
{
	struct rbmap_filter *filter = rbmap_filter_parse(text, fixture_find,
							 NULL, error);

	if (filter)
		assert_true(rbmap_filter_verify(filter, FIXTURE_SIZE));
	return filter;
}

static void test_good(void **state)
{
	static const struct {
		const char *text;
		unsigned int nr;
	} good[] = {
		{ "u8==1", 1 }, { " u8 == 1 ", 1 }, { "(u8<1)", 1 },
		{ "!!u8>1", 1 }, { "!(u8>1)&&!u8<3", 2 }, { "! ( !u8<3)", 1 },
		{ "((u8==1)||(u16==2))&&(u32==3)", 3 }, { "s8 == -0x1", 1 },
		{ "s8==-1||s16==-1||s32==-1||s64==-1", 4 },
		{ "u64 == 18446744073709551615", 1 },
		{ "s64 == -9223372036854775808", 1 },
		{ "u8 == 0777", 1 }, { "u8 & 0xFF", 1 }, { "u8&1&&u8&2", 2 },
		{ "name == 'a'", 1 }, { "name~\"*\"", 1 }, { "name ~ '!a'", 1 },
		{ "where == \")\"", 1 }, { "where != '(&&'", 1 },
		{ "rest ~ '*x*'", 1 }, { "numbers == 1", 1 },
		{ "CPU == 1 && cpu < 2 && common_cpu != 3", 3 },
		{ "COMM == 'x' || comm ~ 'y*'", 2 }, { "stacktrace == 1", 1 },
		{ "u8.ustring == 1", 1 }, { "u8\t==\n1\v", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct rbmap_filter_error error;
		struct rbmap_filter *filter = parse(good[i].text, &error);

		if (!filter)
			fail_msg("'%s': %s at %zu", good[i].text,
				 error.message, error.at);
		assert_int_equal(filter->nr, good[i].nr);
		rbmap_filter_free(filter);
	}
}

/* at: position that tracefs of 6.12 reports. */
static void test_bad(void **state)
{
	static const char no_field[] = "Field not found";
	static const char no_name[] = "Expecting the name of a field";
	static const char no_op[] = "Invalid operator";
	static const char no_value[] = "Invalid value (did you forget quotes)?";
	static const char no_number[] = "Illegal integer value";
	static const char illegal[] = "Illegal operation for field type";
	static const char too_many[] = "Too many terms in predicate expression";
	static const char no_end[] = "Meaningless filter expression";
	static const char long_operand[] = "Operand too long";
	static const struct {
		const char *text;
		const char *message;
		size_t at;
	} bad[] = {
		{ "", "No filter found", 0 }, { "  ", "No filter found", 0 },
		{ "()", "No filter found", 0 }, { "!", "No filter found", 1 },
		{ "(", "Too many '('", 0 }, { "u8 == 1 ((", "Too many '('", 9 },
		{ "(u8 == 1)) || (u8 == 2", "Too few '('", 9 },
		{ "(u8 == 1 && (u8 == 2) && (u8 == 3)", "Too many '('", 0 },
		{ "name == 'x", "Missing matching quote", 8 },
		{ "name == \"'\" && name == '\"", "Missing matching quote", 23 },
		{ "foo == 1", no_field, 4 }, { "u8 == 1 && foo == 1", no_field, 15 },
		{ "u8_ == 1", no_field, 4 }, { "u8", no_op, 2 },
		{ "u8 = 1", no_op, 4 }, { "u8 1", no_op, 4 },
		{ "u8 ^ 1", no_op, 4 }, { "u8 == ", no_value, 6 },
		{ "u8 == x", no_value, 7 }, { "u8 == +1", no_value, 7 },
		{ "name == x", no_value, 9 }, { "u8 && u8", no_value, 5 },
		{ "u8 == 1x", no_number, 7 }, { "u8 == 08", no_number, 7 },
		{ "u8 == 0x", no_number, 7 }, { "u8 == -1", no_number, 7 },
		{ "s8 == -", no_number, 7 }, { "s8 == --1", no_number, 7 },
		{ "u64 == 18446744073709551616", no_number, 8 },
		{ "s64 == 9223372036854775808", no_number, 8 },
		{ "s64 == -9223372036854775809", no_number, 8 },
		{ "u8 == 000000000000000000000001", long_operand, 30 },
		{ "u8 == 'x'", "Expecting numeric field", 7 },
		{ "name == 1", "Expecting string field", 9 },
		{ "comm == 1", "Expecting string field", 9 },
		{ "u8 ~ 1", illegal, 6 }, { "name < 'x'", illegal, 8 },
		{ "u8 & 'x'", illegal, 6 }, { "cpu ~ 'x'", "Expecting numeric field", 7 },
		{ "u8 == 1 u8 == 2", too_many, 8 }, { "u8 == 1 & u8 == 2", too_many, 8 },
		{ "u8 == 1 | u8 == 2", too_many, 8 }, { "u8 == 1 !u8 == 1", too_many, 8 },
		{ "u8 == 1 (u8 == 1)", too_many, 8 }, { "u8 == 1-", too_many, 7 },
		{ "u8 == 1 &&", no_end, 10 }, { "u8 == 1 || !", no_end, 12 },
		{ "&& u8 == 1", no_name, 0 }, { "u8 == 1 && || u8 == 1", no_name, 11 },
		{ "(u8 == 1 &&)", no_name, 11 }, { "(!)", no_name, 2 },
		{ "!= 1", no_name, 0 }, { "!~u8", no_name, 0 },
		{ "-1 == u8", no_name, 0 }, { "'u8' == 1", no_name, 0 },
		{ "u64.function == foo",
		  "Functions can't be looked up by a module: compare with addresses",
		  12 },
		{ "cpu & CPUS{0-1}",
		  "CPUS{} is not supported: compare with numbers", 6 },
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct rbmap_filter_error error;

		if (parse(bad[i].text, &error))
			fail_msg("'%s' is good", bad[i].text);
		if (strcmp(error.message, bad[i].message) ||
		    error.at != bad[i].at)
			fail_msg("'%s': %s at %zu, expected %s at %zu",
				 bad[i].text, error.message, error.at,
				 bad[i].message, bad[i].at);
	}

	/* The longest string, and one longer by a byte. */
	for (int len = 255; len <= 256; len++) {
		struct rbmap_filter_error error;
		struct rbmap_filter *filter;

		snprintf(text, sizeof(text), "name == '%0*d'", len, 0);
		filter = parse(text, &error);
		assert_int_equal(filter != NULL, len == 255);
		if (!filter)
			assert_string_equal(error.message, long_operand);
		rbmap_filter_free(filter);
	}
}

/* The limits of length, depth and number of comparisons. */
static void test_limits(void **state)
{
	char *text = malloc(RBMAP_FILTER_TEXT_MAX + 1);
	struct rbmap_filter_error error;
	struct rbmap_filter *filter;
	size_t i;

	(void)state;
	memset(text, ' ', RBMAP_FILTER_TEXT_MAX);
	text[RBMAP_FILTER_TEXT_MAX] = 0;
	memcpy(text, "u8==1", 5);
	assert_null(parse(text, &error));
	assert_string_equal(error.message, "The expression is too long");
	text[RBMAP_FILTER_TEXT_MAX - 1] = 0;
	filter = parse(text, &error);
	assert_non_null(filter);
	rbmap_filter_free(filter);

	for (i = 0; i < 2045; i++)
		text[i] = '(';
	memcpy(text + i, "u8<1", 4);
	for (i += 4; i < 2045 + 4 + 2045; i++)
		text[i] = ')';
	text[i] = 0;
	filter = parse(text, &error);
	assert_non_null(filter);
	rbmap_filter_free(filter);
	text[i - 1] = 0;
	assert_null(parse(text, &error));
	assert_int_equal(error.at, 0);

	for (i = 0; i < 682; i++)
		memcpy(text + 6 * i, i ? "&&u8<1" : "!!u8<1", 6);
	text[6 * i] = 0;
	filter = parse(text, &error);
	assert_non_null(filter);
	assert_int_equal(filter->nr, 682);
	rbmap_filter_free(filter);
	free(text);
}

static struct rbmap_filter *make(const struct rbmap_filter *from, size_t size)
{
	struct rbmap_filter *copy = malloc(size);

	memcpy(copy, from, size);
	return copy;
}

/* Programs that leave the program or the record are refused. */
static void test_verify(void **state)
{
	struct rbmap_filter_error error;
	struct rbmap_filter *good = parse("u8 == 1 && name == 'ab' && where != 'c'",
					  &error);
	size_t size = sizeof(*good) + good->room * sizeof(good->op[0]) +
		      good->text_len;
	struct rbmap_filter *bad;
	unsigned int tried = 0;

	(void)state;
#define REFUSED(_change) do {						\
		bad = make(good, size);					\
		_change;						\
		assert_false(rbmap_filter_verify(bad, FIXTURE_SIZE));	\
		free(bad);						\
		tried++;						\
	} while (0)
	REFUSED(bad->nr = 0);
	REFUSED(bad->nr = bad->room + 1);
	REFUSED(bad->op[0].yes = 0);
	REFUSED(bad->op[1].no = 1);
	REFUSED(bad->op[1].yes = 0);
	REFUSED(bad->op[2].no = 5);
	REFUSED(bad->op[0].test = RBMAP_TESTS);
	REFUSED(bad->op[0].kind = RBMAP_FILTER_KINDS);
	REFUSED(bad->op[0].kind = RBMAP_FILTER_ARRAY);
	REFUSED(bad->op[0].size = 3);
	REFUSED(bad->op[0].size = 16);
	REFUSED(bad->op[0].offset = FIXTURE_SIZE);
	REFUSED(bad->op[0].offset = 0xffff);
	REFUSED(bad->op[0].kind = RBMAP_FILTER_CPU);
	REFUSED(bad->op[1].kind = RBMAP_FILTER_NUMBER);
	REFUSED(bad->op[1].kind = RBMAP_FILTER_CPU);
	REFUSED(bad->op[1].size = FIXTURE_SIZE);
	REFUSED(bad->op[1].size = 0xffff);
	REFUSED(bad->op[1].pattern = bad->text_len);
	REFUSED(bad->op[1].pattern = -1);
	REFUSED(bad->op[1].pattern_len = 1);
	REFUSED(bad->op[1].pattern_len = 3);
	REFUSED(bad->op[1].pattern_len = 0xffff);
	REFUSED(bad->op[2].size = 8);
	REFUSED(bad->op[2].offset = FIXTURE_SIZE - 2);
	REFUSED(bad->text_len = 0);
	printf("# %u programs refused\n", tried);
	assert_false(rbmap_filter_verify(good, 8));
	rbmap_filter_free(good);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_verify),
	};

	return cmocka_run_group_tests_name("filter_parse", tests, NULL, NULL);
}
