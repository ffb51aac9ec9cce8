/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory events of a buffer. */
#ifndef RBMAP_CONTROL_EVENTS_H
#define RBMAP_CONTROL_EVENTS_H

struct rbmap_control;

/* rbmap_control_exit() undoes these. */
int rbmap_control_events_init(struct rbmap_control *control);
void rbmap_control_events_exit(struct rbmap_control *control);

#endif /* RBMAP_CONTROL_EVENTS_H */
