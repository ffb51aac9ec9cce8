/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The classes and the values of an event's fields. Functions that return a class return NULL:
 * out of memory.
 */
#ifndef RBMAP_BT2_FIELDS_H
#define RBMAP_BT2_FIELDS_H

#include <stdbool.h>
#include <stdint.h>
#include <babeltrace2/babeltrace.h>
#include <rbmap.h>

#include "trace.h"

/* @size: bytes; @flags: RBMAP_FIELD_SIGNED and RBMAP_FIELD_POINTER count */
bt_field_class *number_class(bt_trace_class *in, uint32_t size, uint32_t flags);
bt_field_class *array_class(bt_trace_class *in, const struct rbmap_format_field *f);
bt_field_class *class_of_field(bt_trace_class *in, const struct rbmap_format_field *f);

/* Append a member, and drop the reference of its class, which may be NULL. */
bool append_member(bt_field_class *structure, const char *name, bt_field_class *class);

/* Set the fields of an event. @host: that of its CPU, or NULL. Return false: out of memory. */
bool values_set(struct trace *t, const struct event_class *class, bt_event *event,
		const struct rbmap_event *ev, const char *host);
/* Set a string; bytes that are not UTF-8 become U+FFFD. Return false: out of memory. */
bool values_set_text(bt_field *field, const char *text);
/* Return a copy in UTF-8; other bytes become U+FFFD. The caller frees it. NULL: no memory. */
char *values_utf8(const char *text, size_t len);

#endif /* RBMAP_BT2_FIELDS_H */
