/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters: which records of an event are recorded.
 *
 * Syntax and meaning are those of ftrace in 6.12.  The text is compiled into a program:
 * an array of tests.  Each test names a later test for true, and one for false, so that
 * the program ends.  The verifier has checked that each field lies within the record.
 */
#ifndef RBMAP_FILTER_H
#define RBMAP_FILTER_H

#include "filter/platform.h"

/* Limit of the text's length, the same as in tracefs. */
#define RBMAP_FILTER_TEXT_MAX	4096

/**
 * enum rbmap_filter_kind - source of a value
 * @RBMAP_FILTER_NUMBER: a number in the record; if no number has its size, no comparison
 *	is true
 * @RBMAP_FILTER_ARRAY: an array of characters in the record
 * @RBMAP_FILTER_DYNAMIC: a string; the field holds its offset and length
 * @RBMAP_FILTER_REST: characters up to the end of the record
 * @RBMAP_FILTER_CPU: the current CPU, not a field
 * @RBMAP_FILTER_COMM: the name of the current task, not a field
 * @RBMAP_FILTER_KINDS: number of kinds
 */
enum rbmap_filter_kind {
	RBMAP_FILTER_NUMBER,
	RBMAP_FILTER_ARRAY,
	RBMAP_FILTER_DYNAMIC,
	RBMAP_FILTER_REST,
	RBMAP_FILTER_CPU,
	RBMAP_FILTER_COMM,
	RBMAP_FILTER_KINDS
};

/**
 * struct rbmap_filter_field - the field of a name in an expression
 * @offset: offset in the record
 * @size: bytes of the field
 * @kind: enum rbmap_filter_kind
 * @is_signed: the number is signed
 */
struct rbmap_filter_field {
	u16	offset;
	u16	size;
	u8	kind;
	bool	is_signed;
};

/**
 * enum rbmap_filter_test - test of a value
 * @RBMAP_TEST_NEVER: never true
 * @RBMAP_TEST_RANGE: a number from @lo to @lo + @span, modulo its size
 * @RBMAP_TEST_MASK: a number has one of the bits @lo
 * @RBMAP_TEST_FULL: a string equals the pattern
 * @RBMAP_TEST_FRONT: a string begins with the pattern
 * @RBMAP_TEST_MIDDLE: the field contains the pattern, even behind a 0
 * @RBMAP_TEST_END: the field ends with the pattern; its last byte is ignored
 * @RBMAP_TEST_GLOB: a string matches the pattern, with *, ?, [] and \
 * @RBMAP_TESTS: number of tests
 */
enum rbmap_filter_test {
	RBMAP_TEST_NEVER,
	RBMAP_TEST_RANGE,
	RBMAP_TEST_MASK,
	RBMAP_TEST_FULL,
	RBMAP_TEST_FRONT,
	RBMAP_TEST_MIDDLE,
	RBMAP_TEST_END,
	RBMAP_TEST_GLOB,
	RBMAP_TESTS
};

/**
 * struct rbmap_filter_op - one comparison
 * @test: enum rbmap_filter_test
 * @kind: kind of the value, enum rbmap_filter_kind
 * @offset: offset of the field
 * @size: bytes of the field
 * @pattern_len: bytes of the pattern, without the 0 at its end
 * @yes: next comparison if the test is true
 * @no: next comparison if the test is false
 * @pattern: offset of the pattern in the program's text
 * @lo: number of the test
 * @span: number of the test
 */
struct rbmap_filter_op {
	u8	test;
	u8	kind;
	u16	offset;
	u16	size;
	u16	pattern_len;
	u16	yes;
	u16	no;
	u32	pattern;
	u64	lo;
	u64	span;
};

/**
 * struct rbmap_filter - a program
 * @nr: number of comparisons; as a next comparison, @nr accepts the record, and @nr + 1
 *	refuses it
 * @room: number of comparisons that fit into @op; the text lies behind them
 * @text_len: bytes of text
 * @op: the comparisons
 */
struct rbmap_filter {
	u16			nr;
	u16			room;
	u32			text_len;
	struct rbmap_filter_op	op[];
};

static inline const char *rbmap_filter_text(const struct rbmap_filter *filter)
{
	return (const char *)&filter->op[filter->room];
}

/**
 * struct rbmap_filter_error - an error in an expression
 * @message: message; NULL: no memory
 * @at: position of the character that tracefs would point at
 */
struct rbmap_filter_error {
	const char	*message;
	size_t		at;
};

/* Find the field of a name of @len bytes. */
typedef bool (*rbmap_filter_find)(const void *data, const char *name,
				  size_t len, struct rbmap_filter_field *field);

/* Compile the text of a filter. */
struct rbmap_filter *rbmap_filter_parse(const char *text,
					rbmap_filter_find find,
					const void *data,
					struct rbmap_filter_error *error);
void rbmap_filter_free(struct rbmap_filter *filter);

/* Verify a compiled filter. */
bool rbmap_filter_verify(const struct rbmap_filter *filter, size_t size);

/* Run a filter on a record. */
bool rbmap_filter_match(const struct rbmap_filter *filter, const void *fields,
			const void *record, size_t size);

/* Fields that every record has, and kinds of fields by their type. */
u8 rbmap_filter_kind_of(const char *type, int len);
bool rbmap_filter_find_generic(const char *name, size_t len,
			       struct rbmap_filter_field *field);

/* Parse numbers, and compile comparisons. */
bool rbmap_filter_number(const char *text, size_t len, bool is_signed,
			 u64 *value);
void rbmap_filter_compare(struct rbmap_filter_op *op, bool is_signed,
			  const char *compare, u64 value);

/* Match a glob pattern. */
bool rbmap_filter_glob(const char *pattern, const char *text, size_t len);

#endif /* RBMAP_FILTER_H */
