/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Payloads that are text: a line "NAME = VALUE" for each value. Names that a reader does
 * not know are skipped, so that a newer version can add some.
 */
#ifndef RBMAP_FLEET_TEXT_H
#define RBMAP_FLEET_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Append a line. Control characters of the value become spaces. */
void text_add(struct buf *out, const char *name, const char *value);
void text_add_u64(struct buf *out, const char *name, uint64_t value);

/* A place in a text that nobody has checked */
struct text {
	const char *at;
	const char *end;
};

/*
 * Store the next name and its value, cut to the sizes. Return false at the end. Lines
 * without '=' are skipped. A value has no control characters.
 */
bool text_next(struct text *t, char *name, size_t name_size, char *value, size_t value_size);

/* Parse a value: a decimal number. Return false if it is anything else. */
bool text_u64(const char *value, uint64_t *number);

#endif /* RBMAP_FLEET_TEXT_H */
