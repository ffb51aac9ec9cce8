/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/rbmap/cpuN */
#ifndef RBMAP_DEVICE_H
#define RBMAP_DEVICE_H

#include "buffer.h"

int rbmap_device_init(struct rbmap_buffer *buf);
void rbmap_device_exit(void);
int rbmap_device_add_cpu(int cpu);

#endif /* RBMAP_DEVICE_H */
