/* SPDX-License-Identifier: GPL-2.0-only */
/* The events rbmap_task:begin and rbmap_task:end. */
#ifndef RBMAP_PROBES_CGROUP_H
#define RBMAP_PROBES_CGROUP_H

int rbmap_cgroup_probes_register(void);

#endif /* RBMAP_PROBES_CGROUP_H */
