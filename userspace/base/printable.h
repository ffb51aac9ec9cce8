/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Text of others for a terminal. Names of threads and strings of events contain any bytes,
 * escape sequences for example. Three kinds are written as "\x1b": control characters (C1 as
 * UTF-8, too), characters that have no image or change the order of others, and bytes that are
 * not UTF-8. A tab stays.
 */
#ifndef RBMAP_BASE_PRINTABLE_H
#define RBMAP_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

#define PRINTABLE_MAX	4	/* bytes that one byte becomes, at most */

bool is_printable(const char *text, size_t size);

/* Write @size bytes at @at, which has room for PRINTABLE_MAX times as many. Return the end. */
char *put_printable(char *at, const char *text, size_t size);

/* Append @size bytes. */
void buf_add_printable(struct buf *b, const char *text, size_t size);

/* Replace the bytes from @from on. */
void buf_make_printable(struct buf *b, size_t from);

/* Return the length of the first character of @s in bytes, or 0 if it is not UTF-8. */
size_t utf8_length(const unsigned char *s, size_t size);

/*
 * Return a character of @n bytes that has no image, or changes the order of others. 0: it is
 * another one, or of ASCII.
 */
uint32_t utf8_hidden(const unsigned char *s, size_t n);

#endif /* RBMAP_BASE_PRINTABLE_H */
