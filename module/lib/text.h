/* SPDX-License-Identifier: GPL-2.0-only */
/* Assemble a text, and count the bytes that do not fit. */
#ifndef RBMAP_TEXT_H
#define RBMAP_TEXT_H

#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/string.h>
#else
#include <string.h>
#endif

/**
 * struct rbmap_text - a text that grows
 * @buf: memory of the text, or NULL
 * @size: bytes of @buf
 * @len: length of the text, which may exceed @size
 */
struct rbmap_text {
	char	*buf;
	size_t	size;
	size_t	len;
};

static inline __printf(2, 3) void rbmap_text_add(struct rbmap_text *text,
						 const char *format, ...)
{
	size_t room = text->len < text->size ? text->size - text->len : 0;
	va_list args;

	va_start(args, format);
	text->len += vsnprintf(room ? text->buf + text->len : NULL, room,
			       format, args);
	va_end(args);
}

/*
 * Add @len bytes.  A short word then takes some twenty instructions, where vsnprintf() takes
 * four hundred.
 */
static inline void rbmap_text_copy(struct rbmap_text *text, const char *from, size_t len)
{
	size_t room = text->len < text->size ? text->size - text->len - 1 : 0;
	size_t fits = len < room ? len : room;

	if (fits) {
		memcpy(text->buf + text->len, from, fits);
		text->buf[text->len + fits] = 0;
	}
	text->len += len;
}

#endif /* RBMAP_TEXT_H */
