/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that users define while the module runs: /sys/kernel/rbmap/dynamic_events */
#ifndef RBMAP_DYNAMIC_EVENT_H
#define RBMAP_DYNAMIC_EVENT_H

#include <linux/kernel.h>
#include <linux/list.h>

#include "event/event.h"
#include "program.h"

/**
 * struct rbmap_dynamic_event - an event that a user has defined
 * @event: the event type that is registered
 * @list: entry in the list of all dynamic events
 * @line: the parsed line
 * @fields: fields of the format: __faults, the fields of @line, and an empty one
 * @print_fmt: print format
 * @text: the line that the user wrote, with a newline
 * @len: bytes of @text
 */
struct rbmap_dynamic_event {
	struct rbmap_event_type		event;
	struct list_head		list;
	struct rbmap_dynamic_line	line;
	struct rbmap_field		fields[RBMAP_FETCH_FIELDS + 2];
	char				*print_fmt;
	char				*text;
	size_t				len;
};

static inline const struct rbmap_dynamic_event *
rbmap_dynamic_event_of(const struct rbmap_event_type *event)
{
	return container_of(event, struct rbmap_dynamic_event, event);
}

/* dynamic_event.c */
struct rbmap_dynamic_event *
rbmap_dynamic_event_create(const struct rbmap_dynamic_line *line,
			   const char *text, size_t len);
void rbmap_dynamic_event_destroy(struct rbmap_dynamic_event *event);

#endif /* RBMAP_DYNAMIC_EVENT_H */
