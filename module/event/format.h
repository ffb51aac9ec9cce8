/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of an event's format file. */
#ifndef RBMAP_EVENT_FORMAT_H
#define RBMAP_EVENT_FORMAT_H

#include <rbmap/event.h>

extern const struct rbmap_field rbmap_common_fields[];
int rbmap_event_format(const struct rbmap_event_type *event, char *buf, size_t size);

#endif /* RBMAP_EVENT_FORMAT_H */
