/* SPDX-License-Identifier: GPL-2.0-only */
/* The files set_event and available_events. */
#ifndef RBMAP_CONTROL_SET_EVENT_H
#define RBMAP_CONTROL_SET_EVENT_H

struct rbmap_control;

int rbmap_control_set_event_init(struct rbmap_control *control);

#endif /* RBMAP_CONTROL_SET_EVENT_H */
