/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The distinct strings of a column. Events repeat few names: a column has the number of its
 * string for each event, and each string once. The functions need no lock of Python.
 */
#ifndef RBMAP_PYTHON_STRINGS_H
#define RBMAP_PYTHON_STRINGS_H

#include <stdint.h>
#include <stddef.h>

struct string {
	const char *text;
	size_t len;
};

struct strings;

struct strings *strings_new(void);	/* NULL: out of memory */
void strings_free(struct strings *strings);

/* Return the number of the string, from 0, or -1: out of memory. */
int64_t strings_number(struct strings *strings, const char *text, size_t len);

size_t strings_count(const struct strings *strings);
struct string strings_get(const struct strings *strings, size_t number);

#endif /* RBMAP_PYTHON_STRINGS_H */
