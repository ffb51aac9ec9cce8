/* SPDX-License-Identifier: LGPL-2.1-only */
/* The value that a record has for a field of its format. The record may contain any bytes. */
#ifndef RBMAP_PRINT_FIELD_VALUE_H
#define RBMAP_PRINT_FIELD_VALUE_H

#include <stdint.h>
#include <rbmap.h>

struct tep_format_field;
struct print_line;

enum field_kind { FIELD_NONE, FIELD_STRING, FIELD_ARRAY, FIELD_NUMBER };

/**
 * struct field_value - a value
 * @kind: FIELD_NONE: the bytes are no number, so a program cannot use them
 * @at: the first byte
 * @size: in bytes; a string ends before its 0
 */
struct field_value {
	enum field_kind kind;
	const char *at;
	uint32_t size;
};

/*
 * Find the value of a field in an event that has all fields of its format. @line has a copy of
 * the event if the value leads out of the record; zeros follow there. The value is valid as
 * long as the event, and until @line copies another one. Return 0 or -ENOMEM.
 */
int field_value_find(struct print_line *line, const struct rbmap_event *ev,
		     const struct tep_format_field *f, struct field_value *value);

/*
 * Return the kind that the values of a field have. A record can have FIELD_NONE instead of
 * FIELD_NUMBER.
 */
enum field_kind field_value_kind(const struct tep_format_field *f);

#endif /* RBMAP_PRINT_FIELD_VALUE_H */
