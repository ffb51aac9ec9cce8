/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory per_cpu of a buffer. */
#ifndef RBMAP_CONTROL_PER_CPU_H
#define RBMAP_CONTROL_PER_CPU_H

struct rbmap_control;

int rbmap_control_add_cpu(struct rbmap_control *control, int cpu);
int rbmap_control_cpus_init(struct rbmap_control *control);
void rbmap_control_cpus_exit(struct rbmap_control *control);

#endif /* RBMAP_CONTROL_PER_CPU_H */
