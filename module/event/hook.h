/* SPDX-License-Identifier: GPL-2.0-only */
/* The probe of an event, which all buffers share. */
#ifndef RBMAP_EVENT_HOOK_H
#define RBMAP_EVENT_HOOK_H

#include "event.h"

int rbmap_event_hook_create(struct rbmap_event_type *event);
void rbmap_event_hook_free(struct rbmap_event_type *event);
int rbmap_event_hook_add(struct rbmap_event_file *event_file);
int rbmap_event_hook_remove(struct rbmap_event_file *event_file);
void rbmap_event_hook_lost(const struct rbmap_event_type *event);
void rbmap_event_hook_update(const struct rbmap_event_file *event_file);

#endif /* RBMAP_EVENT_HOOK_H */
