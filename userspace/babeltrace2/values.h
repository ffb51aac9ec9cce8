/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_BT2_VALUES_H
#define RBMAP_BT2_VALUES_H

#include "trace.h"

/* Set the fields of an event. @host: that of its CPU, or NULL. Return false: out of memory. */
bool values_set(struct trace *t, const struct event_class *class, bt_event *event,
		const struct rbmap_event *ev, const char *host);
/* Set a string; bytes that are not UTF-8 become U+FFFD. Return false: out of memory. */
bool values_set_text(bt_field *field, const char *text);
/* Return a copy in UTF-8; other bytes become U+FFFD. The caller frees it. NULL: no memory. */
char *values_utf8(const char *text, size_t len);

#endif /* RBMAP_BT2_VALUES_H */
