// SPDX-License-Identifier: LGPL-2.1-only
#include <stdlib.h>
#include <string.h>

#include "printable.h"

#define EACH	0x0101010101010101ULL

size_t utf8_length(const unsigned char *s, size_t size)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *s < 0x80 ? 1 : *s >= 0xf5 ? 0 : *s >= 0xf0 ? 4 :
		   *s >= 0xe0 ? 3 : *s >= 0xc2 ? 2 : 0;
	uint32_t value;

	if (n < 2 || n > size)
		return n == 1;
	value = *s & (0xff >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (s[i] & 0x3f);
	}
	if (value < least[n] || value > 0x10ffff ||
	    (value >= 0xd800 && value < 0xe000))
		return 0;
	return n;
}

/*
 * Return whether a character beyond ASCII has no image, or changes the order of those around
 * it. A line with such a character looks as if it had another text.
 */
static bool is_hidden(uint32_t c)
{
	static const struct { uint32_t first, last; } ranges[] = {
		{ 0x80, 0x9f },		/* C1 */
		{ 0xad, 0xad },		/* soft hyphen */
		{ 0x34f, 0x34f }, { 0x61c, 0x61c }, { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 },
		{ 0x180b, 0x180f },
		{ 0x200b, 0x200f },	/* no width; left to right, and right to left */
		{ 0x2028, 0x202e },	/* separators of lines; embedding, and override */
		{ 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff },
		{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe0fff },	/* tags */
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

static uint32_t utf8_value(const unsigned char *s, size_t n)
{
	uint32_t value = *s & (0xff >> (n + 1));

	for (size_t i = 1; i < n; i++)
		value = value << 6 | (s[i] & 0x3f);
	return value;
}

uint32_t utf8_hidden(const unsigned char *s, size_t n)
{
	uint32_t value = n > 1 ? utf8_value(s, n) : 0;

	return is_hidden(value) ? value : 0;
}

/* Return the length of the first character, or 0 if it is to be escaped. */
static size_t printable_length(const unsigned char *s, size_t size)
{
	size_t n = utf8_length(s, size);

	if (n == 1 && (*s < ' ' || *s == 0x7f))
		return *s == '\t';
	return n > 1 && utf8_hidden(s, n) ? 0 : n;
}

/*
 * Return whether eight bytes are all from ' ' to '~'. A borrow from a lower byte can only
 * make the answer false, and then each character is looked at.
 */
static bool are_plain(const char *text)
{
	uint64_t v;

	memcpy(&v, text, sizeof(v));
	return !((v | (v - ' ' * EACH) | (v + EACH)) & 0x80 * EACH);
}

bool is_printable(const char *text, size_t size)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n;

	while (size) {
		if (size >= 8 && are_plain((const char *)s))
			n = 8;
		else
			n = printable_length(s, size);
		if (!n)
			return false;
		s += n;
		size -= n;
	}
	return true;
}

char *put_printable(char *at, const char *text, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *s = (const unsigned char *)text;

	while (size) {
		size_t n = printable_length(s, size);

		if (n) {
			at = mempcpy(at, s, n);
		} else {
			*at++ = '\\';
			*at++ = 'x';
			*at++ = digits[*s >> 4];
			*at++ = digits[*s & 0xf];
			n = 1;
		}
		s += n;
		size -= n;
	}
	return at;
}

void buf_add_printable(struct buf *b, const char *text, size_t size)
{
	char *at = buf_room(b, PRINTABLE_MAX * size);

	if (at)
		buf_end(b, put_printable(at, text, size));
}

void buf_make_printable(struct buf *b, size_t from)
{
	size_t size = b->size - from;
	char *copy;

	if (is_printable(b->data + from, size))
		return;
	copy = malloc(size);
	if (!copy) {
		b->failed = true;
		return;
	}
	memcpy(copy, b->data + from, size);
	b->size = from;
	buf_add_printable(b, copy, size);
	free(copy);
}
