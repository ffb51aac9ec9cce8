/* SPDX-License-Identifier: GPL-2.0-only */
/* Check an event before it is registered. */
#ifndef RBMAP_EVENT_VALIDATE_H
#define RBMAP_EVENT_VALIDATE_H

#include <rbmap/event.h>

int rbmap_event_check(const struct rbmap_event_type *event);
bool rbmap_event_fits_stack(const struct rbmap_event_type *event);

#endif /* RBMAP_EVENT_VALIDATE_H */
