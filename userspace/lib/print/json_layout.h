/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The text that all JSON objects of an event have. It is made once for each event, and
 * copied for each record.
 */
#ifndef RBMAP_PRINT_JSON_LAYOUT_H
#define RBMAP_PRINT_JSON_LAYOUT_H

#include "base/buf.h"
#include "print/fields/value_names.h"

struct printer;
struct syscalls_event;
struct tep_event;
struct tep_format_field;

/**
 * struct json_key - the text before a value
 * @text: ", \"prev_pid\": "; the first value of an object has no ", "
 */
struct json_key {
	char *text;
	unsigned int size;
};

/* A field of the event's format, and its key */
struct json_field {
	struct json_key key;
	const struct tep_format_field *field;
};

/**
 * struct json_layout - the objects of an event
 * @label: from the comma behind the object's preempt_count up to the text
 * @names: names of values; @name_key has the key of each
 * @syscall: the names of system calls instead, or NULL
 */
struct json_layout {
	struct json_key label;
	unsigned int nr_fields;
	struct json_field *field;
	struct value_names names;
	struct json_key *name_key;
	const struct syscalls_event *syscall;
};

/* Return NULL if memory is lacking. The arguments must live longer; @printer may be NULL. */
struct json_layout *json_layout_new(const struct tep_event *event,
				    const struct printer *printer,
				    const struct syscalls_event *syscall);
void json_layout_free(struct json_layout *layout);

#endif /* RBMAP_PRINT_JSON_LAYOUT_H */
