/* SPDX-License-Identifier: LGPL-2.1-only */
/* Print JSON value by value, with commas and indentation. */
#ifndef RBMAP_BASE_JSON_H
#define RBMAP_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "buf.h"

#define JSON_DEPTH	8

struct json {
	FILE *out;
	bool compact;			/* print one line */
	unsigned int depth;
	bool some[JSON_DEPTH];		/* the level has a value already */
};

/*
 * Add a value, or open or close a level. @key is NULL in arrays and at the top.
 */
void json_open(struct json *j, const char *key, char bracket);	/* { or [ */
void json_close(struct json *j, char bracket);			/* } or ] */
void json_string(struct json *j, const char *key, const char *value);
void json_bytes(struct json *j, const char *key, const char *value, size_t size);
void json_number(struct json *j, const char *key, int64_t value);
void json_unsigned(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

/* Append a string, with its quotation marks. Bytes that are invalid in UTF-8 are replaced. */
void json_add_string(struct buf *out, const char *value, size_t size);

#endif /* RBMAP_BASE_JSON_H */
