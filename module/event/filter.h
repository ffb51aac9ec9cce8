/* SPDX-License-Identifier: GPL-2.0-only */
/* Filters of events, and the text of the filter files. */
#ifndef RBMAP_EVENT_FILTER_H
#define RBMAP_EVENT_FILTER_H

#include "event.h"

int rbmap_event_filter_set(struct rbmap_event_file *event_file, const char *buf,
			   size_t len);
int rbmap_event_set_filter(struct rbmap_event_set *set, const char *system,
			   const char *buf, size_t len,
			   struct rbmap_event_filter **shown);
char *rbmap_event_filter_text(struct rbmap_event_file *event_file);
char *rbmap_event_set_filter_text(struct rbmap_event_set *set,
				  const char *system,
				  struct rbmap_event_filter *const *shown);
void rbmap_event_filter_free(struct rbmap_event_filter *filter);
u16 rbmap_event_pid_field(const struct rbmap_event_type *event, bool *switches);

#endif /* RBMAP_EVENT_FILTER_H */
