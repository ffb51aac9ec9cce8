// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random expressions on random records: the program's result must be the value of the
 * expression, computed in another way.
 */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "filter_fixture.h"
#include "filter_grammar.h"

#define NUMBERS	(const char *const []) { "0", "1", "-1", "100", "127", "255", \
					 "-128", "32767", "65535", NULL }
#define WORDS	(const char *const []) { "bash", "kworker/0:1", "a b", "",  \
					 "0123456789abcdef", "[x]", NULL }

static const struct grammar_field fields[] = {
	{ "u8", false, false, 1, NUMBERS }, { "s8", false, true, 1, NUMBERS },
	{ "u16", false, false, 2, NUMBERS }, { "s16", false, true, 2, NUMBERS },
	{ "u32", false, false, 4, NUMBERS }, { "s32", false, true, 4, NUMBERS },
	{ "u64", false, false, 8, NUMBERS }, { "s64", false, true, 8, NUMBERS },
	{ "numbers", false, false, 0, NUMBERS },
	{ "cpu", false, true, 4, NUMBERS },
	{ "name", true, false, 0, WORDS }, { "where", true, false, 0, WORDS },
	{ "rest", true, false, 0, WORDS }, { "comm", true, false, 0, WORDS },
};

struct sample {
	struct fixture_record	*record;
	size_t			size;
};

static void fill(struct grammar *g, struct sample *sample)
{
	const char *word = WORDS[grammar_random(g, 6)];
	const char *rest = WORDS[grammar_random(g, 6)];
	const char *name = WORDS[grammar_random(g, 6)];
	size_t rest_len = strlen(rest) + 1, len = strlen(word) + 1;
	struct fixture_record *record;
	unsigned char *byte;

	sample->size = FIXTURE_SIZE + rest_len + len;
	record = sample->record = calloc(1, sample->size);
	for (byte = (unsigned char *)record;
	     byte < (unsigned char *)record->name; byte++)
		*byte = grammar_random(g, 2) ? (int)grammar_random(g, 256) :
			grammar_random(g, 2) ? 0 : 255;
	memcpy(record->name, name, strlen(name));
	memcpy(record->rest, rest, rest_len);
	memcpy(record->rest + rest_len, word, len);
	record->where = (u32)len << 16 | (u32)(FIXTURE_SIZE + rest_len);
	rbmap_filter_cpu_now = grammar_random(g, 3) * 127;
	memset(rbmap_filter_comm_now, 0, sizeof(rbmap_filter_comm_now));
	memcpy(rbmap_filter_comm_now, "kworker/0:1", 11);
}

/* A number of the record, in a type that holds all others. */
static __int128 number_of(const char *name, const struct fixture_record *record)
{
	if (!strcmp(name, "u8"))
		return record->u8;
	if (!strcmp(name, "s8"))
		return record->s8;
	if (!strcmp(name, "u16"))
		return record->u16;
	if (!strcmp(name, "s16"))
		return record->s16;
	if (!strcmp(name, "u32"))
		return record->u32;
	if (!strcmp(name, "s32"))
		return record->s32;
	if (!strcmp(name, "u64"))
		return record->u64;
	if (!strcmp(name, "s64"))
		return record->s64;
	return rbmap_filter_cpu_now;
}

/* Truncate the value to the type, as the kernel's conversions do. */
static __int128 cut(const struct grammar_field *field, uint64_t value)
{
	switch (field->is_signed ? -(int)field->size : (int)field->size) {
	case -1:
		return (int8_t)value;
	case -2:
		return (int16_t)value;
	case -4:
		return (int32_t)value;
	case -8:
		return (int64_t)value;
	case 1:
		return (uint8_t)value;
	case 2:
		return (uint16_t)value;
	case 4:
		return (uint32_t)value;
	default:
		return value;
	}
}

static bool number_leaf(const struct grammar_node *leaf,
			const struct fixture_record *record)
{
	bool negative = leaf->value[0] == '-';
	uint64_t value = strtoull(leaf->value + negative, NULL, 0);
	__int128 left = number_of(leaf->field->name, record);
	__int128 right = cut(leaf->field, negative ? -value : value);
	const char *op = leaf->compare;

	if (!leaf->field->size)
		return false;
	if (!strcmp(op, "&"))
		return strcmp(leaf->field->name, "cpu") && (left & right);
	if (!strcmp(op, "=="))
		return left == right;
	if (!strcmp(op, "!="))
		return left != right;
	if (!strcmp(op, "<"))
		return left < right;
	if (!strcmp(op, "<="))
		return left <= right;
	if (!strcmp(op, ">"))
		return left > right;
	return left >= right;
}

/* Copy the bytes of a field, including those after its 0. */
static size_t string_of(const char *name, const struct fixture_record *record,
			char *bytes)
{
	const char *from = record->rest;
	size_t len;

	if (!strcmp(name, "name") || !strcmp(name, "comm")) {
		memcpy(bytes, name[0] == 'n' ? record->name :
					       rbmap_filter_comm_now, 16);
		return 16;
	}
	if (!strcmp(name, "where"))
		from = (const char *)record + (record->where & 0xffff);
	len = strlen(from) + 1;
	memcpy(bytes, from, len);
	return len;
}

static bool pattern_leaf(const char *pattern, const char *text, size_t size)
{
	char plain[GRAMMAR_VALUE];
	size_t len = strlen(pattern);
	bool front = pattern[0] == '*', back = len > 1 && pattern[len - 1] == '*';
	size_t inner = len - front - back;

	if (strpbrk(pattern, "[?\\") || memchr(pattern + front, '*', inner))
		return !fnmatch(pattern, text, 0);
	memcpy(plain, pattern + front, inner);
	plain[inner] = 0;
	if (front && back)
		return memmem(text, size, plain, inner);
	if (back)
		return !strncmp(text, plain, inner);
	/* In an array, match at the end of the array, not at that of the text. */
	if (front)
		return size > inner &&
		       !memcmp(text + size - 1 - inner, plain, inner);
	return !strcmp(text, plain);
}

static bool string_leaf(const struct grammar_node *leaf,
			const struct fixture_record *record)
{
	char text[64] = "";
	size_t size = string_of(leaf->field->name, record, text);
	const char *pattern = leaf->value;

	if (leaf->compare[0] == '=')
		return !strcmp(text, pattern);
	if (leaf->compare[0] == '!')
		return strcmp(text, pattern);
	if (pattern[0] == '!')
		return !(pattern[1] >= '0' && pattern[1] <= '9' ?
			 !strcmp(text, pattern + 1) :
			 pattern_leaf(pattern + 1, text, size));
	if (pattern[0] >= '0' && pattern[0] <= '9')
		return !strcmp(text, pattern);
	return pattern_leaf(pattern, text, size);
}

static bool leaf_value(const struct grammar_node *leaf, const void *data)
{
	return leaf->field->is_string ? string_leaf(leaf, data) :
					number_leaf(leaf, data);
}

static uint64_t seed(void)
{
	const char *given = getenv("RBMAP_TEST_SEED");

	return given ? strtoull(given, NULL, 0) | 1 : 0x5eed;
}

static unsigned int rounds(unsigned int few)
{
	return getenv("RBMAP_TEST_ALL") ? 100 * few : few;
}

static void test_meaning(void **state)
{
	struct grammar g = {
		.fields = fields, .seed = seed(),
		.nr_fields = sizeof(fields) / sizeof(fields[0]),
	};
	unsigned int nr = rounds(5000), accepted = 0, i, j;
	char text[GRAMMAR_TEXT];

	(void)state;
	for (i = 0; i < nr; i++) {
		struct rbmap_filter_error error;
		struct rbmap_filter *filter;

		grammar_make(&g, 1 + grammar_random(&g, 12));
		grammar_print(&g, text);
		filter = rbmap_filter_parse(text, fixture_find, NULL, &error);
		if (!filter)
			fail_msg("%s: %s at %zu", text, error.message,
				 error.at);
		assert_true(rbmap_filter_verify(filter, FIXTURE_SIZE));
		for (j = 0; j < 8; j++) {
			struct sample sample;
			bool hit;

			fill(&g, &sample);
			hit = rbmap_filter_match(filter, sample.record,
						 sample.record, sample.size);
			if (hit != grammar_value(&g, leaf_value, sample.record))
				fail_msg("%s is %s of expression %u with seed %#llx",
					 text, hit ? "true" : "false", i,
					 (unsigned long long)seed());
			accepted += hit;
			free(sample.record);
		}
		rbmap_filter_free(filter);
	}
	printf("# seed %#llx: %u expressions on 8 records each, %u accepted\n",
	       (unsigned long long)seed(), nr, accepted);
	assert_in_range(accepted, nr, 7 * nr);
}

/* Any text is refused with a reason, or makes a valid program. */
static void test_damaged(void **state)
{
	struct grammar g = {
		.fields = fields, .seed = seed(),
		.nr_fields = sizeof(fields) / sizeof(fields[0]),
	};
	unsigned int nr = rounds(20000), refused = 0, i;
	char text[GRAMMAR_TEXT + 8];

	(void)state;
	for (i = 0; i < nr; i++) {
		struct rbmap_filter_error error;
		struct rbmap_filter *filter;
		struct sample sample;

		grammar_make(&g, 1 + grammar_random(&g, 6));
		grammar_print(&g, text);
		grammar_damage(&g, text);
		filter = rbmap_filter_parse(text, fixture_find, NULL, &error);
		if (!filter) {
			assert_non_null(error.message);
			assert_true(error.at <= strlen(text));
			refused++;
			continue;
		}
		assert_true(rbmap_filter_verify(filter, FIXTURE_SIZE));
		fill(&g, &sample);
		rbmap_filter_match(filter, sample.record, sample.record,
				   sample.size);
		free(sample.record);
		rbmap_filter_free(filter);
	}
	printf("# seed %#llx: %u damaged expressions, %u refused\n",
	       (unsigned long long)seed(), nr, refused);
	assert_in_range(refused, nr / 5, nr - nr / 20);
}

/* Programs of random bytes: a program that passes the verifier does no harm. */
static void test_programs(void **state)
{
	struct grammar g = { .seed = seed() };
	unsigned int nr = rounds(100000), run = 0, i;

	(void)state;
	for (i = 0; i < nr; i++) {
		unsigned int room = 1 + grammar_random(&g, 3), j;
		u32 text_len = grammar_random(&g, 6);
		struct rbmap_filter *filter;
		struct sample sample;
		char *text;

		filter = malloc(sizeof(*filter) +
				room * sizeof(filter->op[0]) + text_len);
		filter->room = room;
		filter->nr = 1 + grammar_random(&g, room);
		filter->text_len = text_len;
		for (j = 0; j < room; j++) {
			struct rbmap_filter_op *op = &filter->op[j];

			op->test = grammar_random(&g, RBMAP_TESTS + 1);
			op->kind = grammar_random(&g, RBMAP_FILTER_KINDS + 1);
			op->offset = grammar_random(&g, FIXTURE_SIZE + 2);
			op->size = 1u << grammar_random(&g, 4);
			op->pattern = grammar_random(&g, 4);
			op->pattern_len = grammar_random(&g, 4);
			op->yes = j + grammar_random(&g, 4);
			op->no = j + grammar_random(&g, 4);
			op->lo = grammar_random(&g, 300);
			op->span = grammar_random(&g, 300);
		}
		text = (char *)rbmap_filter_text(filter);
		for (j = 0; j < text_len; j++)
			text[j] = "a*?\\[0"[grammar_random(&g, 7)];
		if (rbmap_filter_verify(filter, FIXTURE_SIZE)) {
			fill(&g, &sample);
			if (grammar_random(&g, 2))
				sample.record->where = grammar_random(&g, 1ull << 32);
			rbmap_filter_match(filter, sample.record,
					   sample.record, sample.size);
			free(sample.record);
			run++;
		}
		free(filter);
	}
	printf("# seed %#llx: %u programs of %u may run\n",
	       (unsigned long long)seed(), run, nr);
	assert_true(run > nr / 1000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_meaning),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_programs),
	};

	return cmocka_run_group_tests_name("filter_random", tests, NULL, NULL);
}
