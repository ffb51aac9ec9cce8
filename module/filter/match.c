// SPDX-License-Identifier: GPL-2.0-only
/* Run a filter on a record. */
#include "filter.h"

/* A record in one or two places: the fixed fields may lie elsewhere than the rest. */
struct rbmap_filter_view {
	const char	*fields;
	const char	*record;
	size_t		size;
};

struct rbmap_filter_string {
	const char	*text;
	size_t		len;
};

static __always_inline u64 rbmap_match_load(const char *at, u16 size)
{
	u64 u64_;
	u32 u32_;
	u16 u16_;

	/* A record is aligned to 4 bytes. */
	switch (size) {
	case 4:
		memcpy(&u32_, at, sizeof(u32_));
		return u32_;
	case 8:
		memcpy(&u64_, at, sizeof(u64_));
		return u64_;
	case 2:
		memcpy(&u16_, at, sizeof(u16_));
		return u16_;
	default:
		return *(const u8 *)at;
	}
}

/* The difference wraps at the size of the number. */
static __always_inline bool rbmap_match_range(const struct rbmap_filter_op *op,
					      u64 value)
{
	switch (op->size) {
	case 4:
		return (u32)(value - op->lo) <= op->span;
	case 8:
		return value - op->lo <= op->span;
	case 2:
		return (u16)(value - op->lo) <= op->span;
	default:
		return (u8)(value - op->lo) <= op->span;
	}
}

static bool rbmap_match_number(const struct rbmap_filter_op *op,
			       const struct rbmap_filter_view *view)
{
	u64 value;

	if (op->kind == RBMAP_FILTER_CPU)
		value = rbmap_filter_cpu();
	else
		value = rbmap_match_load(view->fields + op->offset, op->size);
	if (op->test == RBMAP_TEST_MASK)
		return value & op->lo;
	return rbmap_match_range(op, value);
}

/* Check the place of a string, which the record itself contains. */
static struct rbmap_filter_string
rbmap_match_find(const struct rbmap_filter_op *op,
		 const struct rbmap_filter_view *view)
{
	struct rbmap_filter_string found = { "", 0 };
	u32 where;

	switch (op->kind) {
	case RBMAP_FILTER_COMM:
		found.text = rbmap_filter_comm();
		found.len = RBMAP_FILTER_COMM_LEN;
		break;
	case RBMAP_FILTER_ARRAY:
		found.text = view->fields + op->offset;
		found.len = op->size;
		break;
	case RBMAP_FILTER_DYNAMIC:
		memcpy(&where, view->fields + op->offset, sizeof(where));
		if ((where & 0xffff) + (where >> 16) <= view->size) {
			found.text = view->record + (where & 0xffff);
			found.len = where >> 16;
		}
		break;
	case RBMAP_FILTER_REST:
		if (op->offset < view->size) {
			found.text = view->record + op->offset;
			found.len = strnlen(found.text,
					    view->size - op->offset);
			found.len += found.len < view->size - op->offset;
		}
		break;
	}
	return found;
}

static bool rbmap_match_middle(const char *text, size_t len,
			       const char *pattern, size_t pattern_len)
{
	for (; len >= pattern_len; len--, text++) {
		if (!memcmp(text, pattern, pattern_len))
			return true;
	}
	return false;
}

static noinline bool
rbmap_match_string(const struct rbmap_filter *filter,
		   const struct rbmap_filter_op *op,
		   const struct rbmap_filter_view *view)
{
	const char *pattern = rbmap_filter_text(filter) + op->pattern;
	struct rbmap_filter_string in = rbmap_match_find(op, view);
	size_t len = op->pattern_len;

	switch (op->test) {
	case RBMAP_TEST_FULL:
		return in.len >= len && !memcmp(in.text, pattern, len) &&
		       (in.len == len || !in.text[len]);
	case RBMAP_TEST_FRONT:
		return in.len >= len && !memcmp(in.text, pattern, len);
	case RBMAP_TEST_MIDDLE:
		return rbmap_match_middle(in.text, in.len, pattern, len);
	case RBMAP_TEST_END:
		return in.len > len &&
		       !memcmp(in.text + in.len - 1 - len, pattern, len);
	default:
		return rbmap_filter_glob(pattern, in.text, in.len);
	}
}

/* The rest of a filter, from comparison @next on. */
static noinline bool rbmap_match_rest(const struct rbmap_filter *filter,
				      unsigned int next, const void *fields,
				      const void *record, size_t size)
{
	const struct rbmap_filter_view view = { fields, record, size };
	const struct rbmap_filter_op *op;
	bool hit;

	while (next < filter->nr) {
		op = &filter->op[next];
		if (op->test == RBMAP_TEST_NEVER)
			hit = false;
		else if (op->test <= RBMAP_TEST_MASK)
			hit = rbmap_match_number(op, &view);
		else
			hit = rbmap_match_string(filter, op, &view);
		next = hit ? op->yes : op->no;
	}
	return next == filter->nr;
}

/**
 * rbmap_filter_match - test whether a filter accepts a record
 * @filter: filter, verified for records with these fixed fields
 * @fields: fixed fields, in the record or elsewhere
 * @record: record, which is read behind the fixed fields
 * @size: bytes of the record
 *
 * Most filters compare numbers only.  This function does that without a stack
 * frame, which saves the instructions that store and load registers.
 *
 * Context: any, NMI included; stays on its CPU.
 */
bool rbmap_filter_match(const struct rbmap_filter *filter, const void *fields,
			const void *record, size_t size)
{
	const struct rbmap_filter_op *op;
	unsigned int nr = filter->nr, next = 0;

	/* Each filter has at least one comparison. */
	do {
		op = &filter->op[next];
		if (op->test != RBMAP_TEST_RANGE ||
		    op->kind != RBMAP_FILTER_NUMBER)
			return rbmap_match_rest(filter, next, fields, record,
						size);
		if (rbmap_match_range(op, rbmap_match_load(fields + op->offset,
							   op->size)))
			next = op->yes;
		else
			next = op->no;
	} while (next < nr);
	return next == nr;
}
