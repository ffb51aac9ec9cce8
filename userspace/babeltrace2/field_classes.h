/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes of fields. Functions that return a class return NULL: out of memory. */
#ifndef RBMAP_BT2_FIELD_CLASSES_H
#define RBMAP_BT2_FIELD_CLASSES_H

#include <stdbool.h>
#include <stdint.h>
#include <babeltrace2/babeltrace.h>
#include <rbmap.h>

/* @size: bytes; @flags: RBMAP_FIELD_SIGNED and RBMAP_FIELD_POINTER count */
bt_field_class *number_class(bt_trace_class *in, uint32_t size, uint32_t flags);
bt_field_class *array_class(bt_trace_class *in, const struct rbmap_format_field *f);
bt_field_class *class_of_field(bt_trace_class *in, const struct rbmap_format_field *f);

/* Append a member, and drop the reference of its class, which may be NULL. */
bool append_member(bt_field_class *structure, const char *name, bt_field_class *class);

#endif /* RBMAP_BT2_FIELD_CLASSES_H */
