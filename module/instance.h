/* SPDX-License-Identifier: GPL-2.0-only */
/* All buffers: the default one, and named ones. */
#ifndef RBMAP_INSTANCE_H
#define RBMAP_INSTANCE_H

#include "buffer/buffer.h"

int rbmap_instances_init(const struct rbmap_buffer_config *config);
void rbmap_instances_exit(void);

#endif /* RBMAP_INSTANCE_H */
