/* SPDX-License-Identifier: GPL-2.0-only */
/* Text that is put together, and counted on where there is no room for it. */
#ifndef RBMAP_TEXT_H
#define RBMAP_TEXT_H

#ifdef __KERNEL__
#include <linux/kernel.h>
#endif

/**
 * struct rbmap_text - text that grows
 * @buf: where it is put, or NULL
 * @size: bytes there
 * @len: bytes that it has, or would have
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

#endif /* RBMAP_TEXT_H */
