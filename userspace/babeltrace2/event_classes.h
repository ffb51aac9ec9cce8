/* SPDX-License-Identifier: GPL-2.0-only */
/* A class for each kind of event, made when the first event of it comes. */
#ifndef RBMAP_BT2_EVENT_CLASSES_H
#define RBMAP_BT2_EVENT_CLASSES_H

#include "trace.h"

/* Make the class of events without a format. Return false: out of memory. */
bool event_classes_begin(struct trace *t);
void event_classes_end(struct trace *t);
/* Return the class of an event; NULL: out of memory. */
struct event_class *event_classes_find(struct trace *t, const struct rbmap_event *ev);

#endif /* RBMAP_BT2_EVENT_CLASSES_H */
