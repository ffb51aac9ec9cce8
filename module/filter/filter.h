/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters: which records of an event are wanted.
 *
 * The language is ftrace's, and so is what each expression means (6.12's).  The
 * text becomes a program: an array of tests, each of which says which later one
 * comes next, be it true or not.  So it ends, and each field that it looks at
 * was found to lie within the record when it was made.
 */
#ifndef RBMAP_FILTER_H
#define RBMAP_FILTER_H

#include "filter/platform.h"

/* A text is shorter than this, as tracefs has it. */
#define RBMAP_FILTER_TEXT_MAX	4096

/**
 * enum rbmap_filter_kind - where a value comes from
 * @RBMAP_FILTER_NUMBER: the field is a number; of a size that none has: it can
 *	be compared, and no comparison is true
 * @RBMAP_FILTER_ARRAY: an array of characters in the record
 * @RBMAP_FILTER_DYNAMIC: the field says where in the record a string lies
 * @RBMAP_FILTER_REST: characters up to the end of the record
 * @RBMAP_FILTER_CPU: no field: the CPU
 * @RBMAP_FILTER_COMM: no field: the name of the current task
 * @RBMAP_FILTER_KINDS: how many there are
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
 * struct rbmap_filter_field - what a name in an expression stands for
 * @offset: in the record
 * @size: bytes there
 * @kind: enum rbmap_filter_kind
 * @is_signed: a number
 */
struct rbmap_filter_field {
	u16	offset;
	u16	size;
	u8	kind;
	bool	is_signed;
};

/**
 * enum rbmap_filter_test - what is asked of a value
 * @RBMAP_TEST_NEVER: nothing, it is not true
 * @RBMAP_TEST_RANGE: a number from @lo to @lo + @span, modulo its size
 * @RBMAP_TEST_MASK: a number has one of the bits @lo
 * @RBMAP_TEST_FULL: a string is the pattern
 * @RBMAP_TEST_FRONT: it begins so
 * @RBMAP_TEST_MIDDLE: it is somewhere in the field, be it behind a 0
 * @RBMAP_TEST_END: the field ends so; its last byte is not looked at
 * @RBMAP_TEST_GLOB: it matches, with *, ?, [] and \
 * @RBMAP_TESTS: how many there are
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
 * @kind: of the value, enum rbmap_filter_kind
 * @offset: of the field
 * @size: of the field
 * @pattern_len: bytes of the pattern, the 0 at its end not counted
 * @yes: which one is next if it is true
 * @no: if not
 * @pattern: where the pattern begins in the program's text
 * @lo: a number: see the test
 * @span: the same
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
 * @nr: how many comparisons; as a next one, this number accepts the record, and
 *	the one after it refuses
 * @room: comparisons that there is room for; the text lies behind it
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
 * struct rbmap_filter_error - what is wrong with an expression
 * @message: in words, or NULL: there was no memory
 * @at: the character that tracefs would point at
 */
struct rbmap_filter_error {
	const char	*message;
	size_t		at;
};

/* Finds the field of a name that is @len bytes long. */
typedef bool (*rbmap_filter_find)(const void *data, const char *name,
				  size_t len, struct rbmap_filter_field *field);

#endif /* RBMAP_FILTER_H */
