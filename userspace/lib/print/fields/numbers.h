/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Numbers as text. Each function writes at @at, which has enough room, and returns the
 * end of the text, without a final 0.
 */
#ifndef RBMAP_PRINT_FIELDS_NUMBERS_H
#define RBMAP_PRINT_FIELDS_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NUMBER_MAX	20	/* digits of UINT64_MAX */

/* Return the number of digits of @value in base 10. */
static inline unsigned int decimal_digits(uint64_t value)
{
	static const uint64_t power[NUMBER_MAX] = {
		0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
		10000000000, 100000000000, 1000000000000, 10000000000000,
		100000000000000, 1000000000000000, 10000000000000000,
		100000000000000000, 1000000000000000000, 10000000000000000000ULL,
	};
	/* 1233 / 4096 is log10(2), exact enough for 64 bits. */
	unsigned int nr = (64 - __builtin_clzll(value | 1)) * 1233 >> 12;

	return nr + (value >= power[nr]);
}

/* Write the two digits of a number below 100. */
static inline void put_pair(char *at, unsigned int value)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324"
		"25262728293031323334353637383940414243444546474849"
		"50515253545556575859606162636465666768697071727374"
		"75767778798081828384858687888990919293949596979899";

	memcpy(at, pairs + 2 * value, 2);
}

/* Write @value in base 10. */
static inline char *put_decimal(char *at, uint64_t value)
{
	char *end = at + decimal_digits(value), *p = end;

	for (; value >= 100; value /= 100)
		put_pair(p -= 2, value % 100);
	if (value >= 10)
		put_pair(p - 2, value);
	else
		p[-1] = '0' + value;
	return end;
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

/* Write the six digits of a number below a million. */
static inline char *put_six(char *at, unsigned int value)
{
	put_pair(at, value / 10000);
	put_pair(at + 2, value / 100 % 100);
	put_pair(at + 4, value % 100);
	return at + 6;
}

/*
 * Return the eight hexadecimal digits of @value, in the order of memory without the first
 * @skip ones. All digits are computed at once, each in a byte of its own.
 */
static inline uint64_t hex_digits(uint32_t value, unsigned int skip, bool upper)
{
	const uint64_t each = 0x0101010101010101;
	uint64_t digits = value, letters;

	digits = (digits << 16 | digits) & 0x0000ffff0000ffff;
	digits = (digits << 8 | digits) & 0x00ff00ff00ff00ff;
	digits = (digits << 4 | digits) & 0x0f0f0f0f0f0f0f0f;
	/* The sum of 6 and a digit above 9 has the bit 4. */
	letters = (digits + 6 * each) >> 4 & each;
	digits += '0' * each + letters * ((upper ? 'A' : 'a') - '9' - 1);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return __builtin_bswap64(digits) >> 8 * skip;
#else
	return digits << 8 * skip;
#endif
}

/* Write @value in base 16. Eight bytes or more are written, whatever the value. */
static inline char *put_hex(char *at, uint64_t value, bool upper)
{
	unsigned int nr = (67 - __builtin_clzll(value | 1)) / 4;
	uint64_t digits;

	if (nr > 8) {
		nr -= 8;
		digits = hex_digits(value >> 32, 8 - nr, upper);
		memcpy(at, &digits, sizeof(digits));
		at += nr;
		nr = 8;
	}
	digits = hex_digits(value, 8 - nr, upper);
	memcpy(at, &digits, sizeof(digits));
	return at + nr;
}

#endif /* RBMAP_PRINT_FIELDS_NUMBERS_H */
