/* SPDX-License-Identifier: LGPL-2.1-only */
/* The format of an event, from the text of its file. The text may have any bytes. */
#ifndef RBMAP_FORMAT_TEXT_H
#define RBMAP_FORMAT_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <rbmap.h>

/**
 * struct format - a format and what belongs to it
 * @public: the part that programs see
 * @field: array of the fields
 */
struct format {
	struct rbmap_format public;
	struct rbmap_format_field *field;
};

/*
 * Find the line "ID: NUMBER" of a text that ends with a 0. Return where it begins, and store
 * the number and what follows the line. Return NULL if the text has no such line.
 */
const char *format_find_id(const char *text, uint32_t *id, const char **rest);

/* Parse a text. Return 0, -EINVAL or -ENOMEM. */
int format_parse(struct format **format, const char *system, const char *text, size_t size);
void format_free(struct format *format);

#endif /* RBMAP_FORMAT_TEXT_H */
