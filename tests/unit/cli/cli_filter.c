// SPDX-License-Identifier: GPL-2.0-only
/* Filters of recorded events: formats and records with any bytes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/rbmap.h>

#include "filter/event_filter.h"

#define ID	7
#define COMMON								\
	"name: made\nID: 7\nformat:\n"					\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char text[] = COMMON
	"\tfield:char name[8];\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] where;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] relative;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:s8 small;\toffset:24;\tsize:1;\tsigned:1;\n"
	"\tfield:u16 port;\toffset:26;\tsize:2;\tsigned:0;\n"
	"\tfield:const char * pointer;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:u32 numbers[3];\toffset:40;\tsize:12;\tsigned:0;\n"
	"\tfield:int comm;\toffset:52;\tsize:4;\tsigned:1;\n"
	"\tfield:char rest[];\toffset:56;\tsize:0;\tsigned:0;\n"
	"\nprint fmt: \"\"\n";

struct record {
	struct rbmap_event_common common;
	char name[8];
	uint32_t where, relative;
	int8_t small;
	uint16_t port;
	uint64_t pointer;
	uint32_t numbers[3];
	int32_t comm;
	char rest[16];
};

static const struct record whole = {
	.common = { .type = ID, .pid = 42, .flags = 3 }, .name = "eightby", .where = 4 << 16 | 56,
	.small = -3, .port = 0xfffe, .pointer = 0xffff888000000010, .numbers = { 1, 2, 3 },
	.comm = 5, .rest = "abc\0def",
};

static struct rbmap_formats *formats;
static const struct rbmap_format *format;

/* Return NULL if the text is not a format. */
static const struct rbmap_format *add_format(const char *of)
{
	rbmap_formats_free(formats);
	assert_int_equal(rbmap_formats_new(&formats), 0);
	rbmap_formats_add(formats, "made", of, strlen(of));
	return rbmap_formats_by_id(formats, ID);
}

/* Run an expression on a copy of the record that ends where its memory ends. */
static bool match_of(const char *expression, size_t size)
{
	struct event_filter_error error;
	struct event_filter *filter;
	char *data = malloc(size + !size);
	struct rbmap_event ev = { .data = data, .size = size, .cpu = 6 };
	int ret = event_filter_new(&filter, expression, format, &error);
	bool is;

	if (ret)
		fail_msg("%s: %d, %s at %zu", expression, ret, error.message, error.at);
	memcpy(data, &whole, size);
	is = event_filter_match(filter, &ev, "bash");
	event_filter_free(filter);
	free(data);
	return is;
}

static bool match(const char *expression)
{
	return match_of(expression, sizeof(whole));
}

static void test_values(void **state)
{
	(void)state;
	format = add_format(text);
	assert_true(match("common_pid == 42 && common_flags & 1"));
	assert_true(match("small < -2 && small >= -3"));
	assert_false(match("small > 0"));
	assert_true(match("port == 65534 && port > 0x7fff"));
	assert_true(match("pointer > 0xffff888000000000"));
	assert_true(match("name == 'eightby' && name ~ 'eight*'"));
	assert_false(match("name == 'eight'"));
	assert_true(match("where == 'abc'"));
	assert_true(match("rest == 'abc'"));
	assert_true(match("CPU == 6 && cpu != 5"));
	/* Fields of the event come before generic names, and common fields behind them. */
	assert_true(match("comm == 5"));
	assert_true(match("COMM == 'bash' && !(COMM ~ 'b?s')"));
	/* No number has the size of an array, and nothing is true for it. */
	assert_false(match("numbers == 1"));
}

static void test_short_records(void **state)
{
	(void)state;
	format = add_format(text);
	for (size_t size = 0; size < sizeof(whole); size++) {
		assert_int_equal(match_of("common_pid == 42", size), size >= 8);
		assert_int_equal(match_of("port != 0", size), size >= 28);
		assert_int_equal(match_of("name ~ '*'", size), size >= 16);
		/* The string lies behind the fields, and may be cut off. */
		assert_int_equal(match_of("where == 'abc'", size), size >= 60);
		match_of("rest == 'abc'", size);
		match_of("CPU == 6", size);
	}
}

static void refused(const char *expression, int error, const char *field)
{
	struct event_filter_error told;
	struct event_filter *filter;

	assert_int_equal(event_filter_new(&filter, expression, format, &told), error);
	assert_non_null(told.message);
	assert_true(told.at <= strlen(expression));
	if (!field) {
		assert_null(told.field);
		return;
	}
	assert_int_equal(told.field_len, strlen(field));
	assert_memory_equal(told.field, field, told.field_len);
}

static void test_refused(void **state)
{
	(void)state;
	format = add_format(text);
	refused("nothing == 1", -ENOENT, "nothing");
	refused("port == 1 || nothing == 1", -ENOENT, "nothing");
	refused("port ==", -EINVAL, NULL);
	refused("(port == 1", -EINVAL, NULL);
	refused("name < 5", -EINVAL, NULL);
	refused("", -EINVAL, NULL);
	/* The language has no place that counts from the end of its field. */
	refused("relative == 'x'", -ENOENT, "relative");
	assert_true(event_filter_is_generic("COMM", 4));
	assert_false(event_filter_is_generic("COMMA", 5));
}

/* Formats that lie: fields outside of any record, and of sizes that no number has. */
static void test_damaged_formats(void **state)
{
	static const char *const lies[] = {
		"\tfield:int x;\toffset:65535;\tsize:4;\tsigned:1;\n",
		"\tfield:int x;\toffset:65535;\tsize:65535;\tsigned:1;\n",
		"\tfield:int x;\toffset:0;\tsize:0;\tsigned:1;\n",
		"\tfield:char x[65535];\toffset:65535;\tsize:65535;\tsigned:0;\n",
		"\tfield:__data_loc char[] x;\toffset:8;\tsize:1;\tsigned:0;\n",
		"\tfield:__data_loc char[] x;\toffset:65532;\tsize:4;\tsigned:0;\n",
		"\tfield:char x[];\toffset:65535;\tsize:0;\tsigned:0;\n",
		"\tfield:u64 x;\toffset:4;\tsize:8;\tsigned:0;\n",
	};
	static const char *const expressions[] = { "x == 1", "x == 'a'", "x ~ '*a*'", "!(x & 1)" };
	unsigned int compiled = 0;
	char of[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		snprintf(of, sizeof(of), "%s%s\nprint fmt: \"\"\n", COMMON, lies[i]);
		format = add_format(of);
		for (size_t k = 0; format && k < sizeof(expressions) / sizeof(*expressions); k++) {
			struct event_filter_error error;
			struct event_filter *filter;

			if (event_filter_new(&filter, expressions[k], format, &error))
				continue;
			event_filter_free(filter);
			for (size_t size = 0; size <= sizeof(whole); size += 4)
				match_of(expressions[k], size);
			compiled++;
		}
	}
	assert_in_range(compiled, 8, 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_short_records),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_damaged_formats),
	};
	int ret = cmocka_run_group_tests(tests, NULL, NULL);

	rbmap_formats_free(formats);
	return ret;
}
