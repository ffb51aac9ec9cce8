// SPDX-License-Identifier: GPL-2.0-only
/* Verify a filter from an untrusted source. */
#include "filter.h"

static bool rbmap_verify_number(const struct rbmap_filter_op *op, size_t size)
{
	if (op->size != 1 && op->size != 2 && op->size != 4 && op->size != 8)
		return false;
	if (op->kind == RBMAP_FILTER_CPU)
		return op->size == 4;
	return op->kind == RBMAP_FILTER_NUMBER && op->offset + op->size <= size;
}

static bool rbmap_verify_string(const struct rbmap_filter *filter,
				const struct rbmap_filter_op *op, size_t size)
{
	const char *text = rbmap_filter_text(filter);

	/* Each pattern is ended by a 0, and has none before. */
	if (op->pattern >= filter->text_len ||
	    op->pattern_len >= filter->text_len - op->pattern ||
	    strnlen(text + op->pattern, filter->text_len - op->pattern) !=
	    op->pattern_len)
		return false;
	switch (op->kind) {
	case RBMAP_FILTER_COMM:
		return true;
	case RBMAP_FILTER_ARRAY:
		return op->offset + op->size <= size;
	case RBMAP_FILTER_DYNAMIC:
		return op->size == sizeof(u32) &&
		       op->offset + op->size <= size;
	case RBMAP_FILTER_REST:
		/* A record may be shorter.  The match tests that. */
		return true;
	default:
		return false;
	}
}

static bool rbmap_verify_op(const struct rbmap_filter *filter, unsigned int i,
			    size_t size)
{
	const struct rbmap_filter_op *op = &filter->op[i];

	/* Both targets are ahead: another comparison, or one of the two ends. */
	if (op->yes <= i || op->no <= i || op->yes > filter->nr + 1 ||
	    op->no > filter->nr + 1)
		return false;
	if (op->test == RBMAP_TEST_NEVER)
		return true;
	if (op->test <= RBMAP_TEST_MASK)
		return rbmap_verify_number(op, size);
	return op->test < RBMAP_TESTS && rbmap_verify_string(filter, op, size);
}

/**
 * rbmap_filter_verify - verify that a program ends, and what it reads
 * @filter: program; its memory has @room comparisons and @text_len bytes
 * @size: bytes of the fixed fields of each record
 *
 * Return: true if the program may run on such records, else false.
 */
bool rbmap_filter_verify(const struct rbmap_filter *filter, size_t size)
{
	unsigned int i;

	if (!filter->nr || filter->nr > filter->room ||
	    filter->nr >= U16_MAX - 1)
		return false;
	for (i = 0; i < filter->nr; i++) {
		if (!rbmap_verify_op(filter, i, size))
			return false;
	}
	return true;
}
