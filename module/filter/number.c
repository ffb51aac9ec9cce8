// SPDX-License-Identifier: GPL-2.0-only
/* Numbers in filters: their syntax, and comparisons with them. */
#include "filter.h"

/* 36: no digit */
static unsigned int rbmap_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return 36;
}

static unsigned int rbmap_number_base(const char **text, size_t *len)
{
	const char *at = *text;

	if (*len < 1 || at[0] != '0')
		return 10;
	if (*len < 3 || (at[1] | 0x20) != 'x' || rbmap_digit(at[2]) >= 16)
		return 8;
	*text += 2;
	*len -= 2;
	return 16;
}

/**
 * rbmap_filter_number - read a number as the kernel's kstrtoll() does
 * @text: number: decimal, hexadecimal with 0x, or octal with 0
 * @len: bytes of @text
 * @is_signed: the number may have a sign
 * @value: filled with the number
 *
 * Return: true if the text is a number of at most 64 bits, else false.
 */
bool rbmap_filter_number(const char *text, size_t len, bool is_signed,
			 u64 *value)
{
	bool negative = is_signed && len && *text == '-';
	unsigned int base, digit;
	u64 sum = 0;

	text += negative;
	len -= negative;
	base = rbmap_number_base(&text, &len);
	if (!len)
		return false;
	for (; len; text++, len--) {
		digit = rbmap_digit(*text);
		if (digit >= base || sum > (U64_MAX - digit) / base)
			return false;
		sum = sum * base + digit;
	}
	if (is_signed && sum > (u64)S64_MIN - !negative)
		return false;
	*value = negative ? -sum : sum;
	return true;
}

static void rbmap_compare_range(struct rbmap_filter_op *op, u64 lo, u64 hi)
{
	op->test = RBMAP_TEST_RANGE;
	op->lo = lo;
	op->span = (hi - lo) & (U64_MAX >> (64 - 8 * op->size));
}

/**
 * rbmap_filter_compare - compile a comparison of a field with a number
 * @op: comparison, in which @kind and @size are set
 * @is_signed: the field is signed
 * @compare: "==", "!=", "<", "<=", ">", ">=" or "&"
 * @value: number; bits above the field's size are ignored
 *
 * All comparisons but the bit mask are ranges, modulo the size.  "!=" gets the
 * range of "==", and the caller exchanges @yes and @no.
 */
void rbmap_filter_compare(struct rbmap_filter_op *op, bool is_signed,
			  const char *compare, u64 value)
{
	unsigned int size = op->size;
	u64 min, max;

	op->test = RBMAP_TEST_NEVER;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return;
	max = U64_MAX >> (64 - 8 * size);
	value &= max;
	min = is_signed ? (max >> 1) + 1 : 0;
	max = (min - 1) & max;
	switch (compare[0]) {
	case '=':
	case '!':
		rbmap_compare_range(op, value, value);
		break;
	case '&':
		/* ftrace has no such comparison of CPUs. */
		if (op->kind == RBMAP_FILTER_CPU)
			break;
		op->test = RBMAP_TEST_MASK;
		op->lo = value;
		break;
	case '<':
		if (compare[1] == '=')
			rbmap_compare_range(op, min, value);
		else if (value != min)
			rbmap_compare_range(op, min, value - 1);
		break;
	case '>':
		if (compare[1] == '=')
			rbmap_compare_range(op, value, max);
		else if (value != max)
			rbmap_compare_range(op, value + 1, max);
		break;
	}
}
