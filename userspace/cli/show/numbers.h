/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers as text. Each function writes at @at, which has enough room, and returns the
 * end of the text, without a final 0.
 */
#ifndef RBMAP_CLI_NUMBERS_H
#define RBMAP_CLI_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NUMBER_MAX	20	/* digits of UINT64_MAX */

/* Write @value in base 10. */
static inline char *put_decimal(char *at, uint64_t value)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324"
		"25262728293031323334353637383940414243444546474849"
		"50515253545556575859606162636465666768697071727374"
		"75767778798081828384858687888990919293949596979899";
	char digits[NUMBER_MAX], *p = digits + sizeof(digits);
	size_t size;

	while (value >= 100) {
		p -= 2;
		memcpy(p, pairs + 2 * (value % 100), 2);
		value /= 100;
	}
	if (value >= 10) {
		p -= 2;
		memcpy(p, pairs + 2 * value, 2);
	} else {
		*--p = '0' + value;
	}
	size = digits + sizeof(digits) - p;
	memcpy(at, p, size);
	return at + size;
}

static inline char *put_signed(char *at, int64_t value)
{
	if (value >= 0)
		return put_decimal(at, value);
	*at = '-';
	return put_decimal(at + 1, -(uint64_t)value);
}

/* Move the text from @at to @end to the right, behind @fill, up to @width bytes. */
static inline char *align_right(char *at, char *end, unsigned int width, char fill)
{
	unsigned int size = end - at;

	if (size >= width)
		return end;
	memmove(at + width - size, at, size);
	memset(at, fill, width - size);
	return at + width;
}

/* Add spaces behind the text from @at to @end, up to @width bytes. */
static inline char *align_left(char *at, char *end, unsigned int width)
{
	unsigned int size = end - at;

	if (size >= width)
		return end;
	memset(end, ' ', width - size);
	return at + width;
}

/* Write @value in base 10, with zeros in front up to @width digits. */
static inline char *put_padded(char *at, uint64_t value, unsigned int width)
{
	return align_right(at, put_decimal(at, value), width, '0');
}

/* Write @value in base 16. */
static inline char *put_hex(char *at, uint64_t value, bool upper)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned int nr = value ? (67 - __builtin_clzll(value)) / 4 : 1;

	for (unsigned int i = nr; i--; value >>= 4)
		at[i] = digits[value & 0xf];
	return at + nr;
}

#endif /* RBMAP_CLI_NUMBERS_H */
