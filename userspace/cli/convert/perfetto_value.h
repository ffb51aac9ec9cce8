/* SPDX-License-Identifier: GPL-2.0-only */
/* The values of an event's fields in Perfetto's messages. */
#ifndef RBMAP_CLI_CONVERT_PERFETTO_VALUE_H
#define RBMAP_CLI_CONVERT_PERFETTO_VALUE_H

#include <rbmap.h>

#include "perfetto_layout.h"

/*
 * An event has at most so many bytes of strings and arrays. All fields of an event in a
 * damaged recording may name the same bytes. Fields beyond the limit are left out.
 */
#define VALUES_MAX	(1 << 20)

/**
 * struct perfetto_values - the values of one event
 * @room: VALUES_MAX bytes for values that the record does not have in their final form
 * @used: bytes of @room that have a value
 * @left: bytes that the event may still have
 */
struct perfetto_values {
	struct print_line *line;
	char *room;
	size_t used;
	size_t left;
};

/* Prepare for the next event. */
void perfetto_values_begin(struct perfetto_values *v);

/* Set all fields of a layout's message to the values of an event. Return 0 or -ENOMEM. */
int perfetto_values_set(struct perfetto_values *v, struct perfetto_layout *layout,
			const struct rbmap_event *ev);

/* Set the only field of the layout of an unknown event. The text must be UTF-8. */
void perfetto_values_set_text(struct perfetto_layout *layout, const char *text, size_t size);

/*
 * Write a text as UTF-8, as JSON has it. @at has room for three times its size. Return the
 * end.
 */
char *perfetto_put_utf8(char *at, const unsigned char *s, size_t size);

#endif /* RBMAP_CLI_CONVERT_PERFETTO_VALUE_H */
