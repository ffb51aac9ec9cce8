/* SPDX-License-Identifier: GPL-2.0-only */
/* The files set_event and available_events. */
#ifndef RBMAP_CONTROL_SET_EVENT_H
#define RBMAP_CONTROL_SET_EVENT_H

struct kobject;
struct rbmap_control;

int rbmap_control_set_event_init(struct rbmap_control *control);
int rbmap_control_kernel_events_init(struct kobject *root);

#endif /* RBMAP_CONTROL_SET_EVENT_H */
