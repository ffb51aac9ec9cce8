/* SPDX-License-Identifier: GPL-2.0-only */
/* The registry of events. */
#ifndef RBMAP_EVENT_REGISTRY_H
#define RBMAP_EVENT_REGISTRY_H

#include "event.h"

void rbmap_events_exit(void);
bool rbmap_event_is_enabled(const struct rbmap_event_type *event);
void rbmap_event_forget(struct rbmap_event_type *event);
/* A set is in the registry between these two calls. */
int rbmap_event_set_show(struct rbmap_event_set *set,
			 const struct rbmap_event_set_ops *ops, void *data);
void rbmap_event_set_hide(struct rbmap_event_set *set);
void rbmap_events_reset_missed(const struct rbmap_buffer *buf, int cpu);
bool rbmap_event_registered(const char *system, const char *name);
void rbmap_event_visit(u16 id,
		       void (*visit)(const struct rbmap_event_type *event, void *data),
		       void *data);
struct rbmap_event_match;
int rbmap_event_set_add_some(struct rbmap_event_set *set,
			     const struct rbmap_event_match *match);
void rbmap_origin_came(const char *tracepoint);
void rbmap_origin_goes(const void *origin, const char *tracepoint);

#endif /* RBMAP_EVENT_REGISTRY_H */
