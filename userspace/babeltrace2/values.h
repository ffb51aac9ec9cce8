/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_BT2_VALUES_H
#define RBMAP_BT2_VALUES_H

#include "trace.h"

/* Set the fields of an event. Return false: out of memory. */
bool values_set(struct trace *t, const struct event_class *class, bt_event *event,
		const struct rbmap_event *ev);
/* Return a copy in UTF-8; other bytes become U+FFFD. The caller frees it. NULL: no memory. */
char *values_utf8(const char *text, size_t len);

#endif /* RBMAP_BT2_VALUES_H */
