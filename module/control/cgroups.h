/* SPDX-License-Identifier: GPL-2.0-only */
/* The file set_event_cgroup. */
#ifndef RBMAP_CONTROL_CGROUPS_H
#define RBMAP_CONTROL_CGROUPS_H

struct rbmap_control;

int rbmap_control_cgroups_init(struct rbmap_control *control);

#endif /* RBMAP_CONTROL_CGROUPS_H */
