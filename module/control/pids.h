/* SPDX-License-Identifier: GPL-2.0-only */
/* The files set_event_pid and set_event_notrace_pid. */
#ifndef RBMAP_CONTROL_PIDS_H
#define RBMAP_CONTROL_PIDS_H

struct rbmap_control;

int rbmap_control_pids_init(struct rbmap_control *control);
void rbmap_control_pids_exit(struct rbmap_control *control);

#endif /* RBMAP_CONTROL_PIDS_H */
