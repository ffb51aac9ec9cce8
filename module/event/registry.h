/* SPDX-License-Identifier: GPL-2.0-only */
/* The registry of events. */
#ifndef RBMAP_EVENT_REGISTRY_H
#define RBMAP_EVENT_REGISTRY_H

#include "event.h"

int rbmap_events_init(void);
void rbmap_events_exit(void);
bool rbmap_event_is_enabled(const struct rbmap_event_type *event);
void rbmap_event_forget(struct rbmap_event_type *event);
/* A set is in the registry between these two calls. */
int rbmap_event_set_show(struct rbmap_event_set *set,
			 const struct rbmap_event_set_ops *ops, void *data);
void rbmap_event_set_hide(struct rbmap_event_set *set);
void rbmap_tracepoint_came(struct tracepoint *tp);
void rbmap_tracepoint_goes(struct tracepoint *tp);

#endif /* RBMAP_EVENT_REGISTRY_H */
