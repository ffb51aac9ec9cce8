/* SPDX-License-Identifier: GPL-2.0-only */
/* All buffers: the default one, and named ones. */
#ifndef RBMAP_INSTANCE_H
#define RBMAP_INSTANCE_H

#include "buffer/buffer.h"

struct file;

struct rbmap_buffer *__rbmap_default_buffer(void);
int rbmap_instances_init(const struct rbmap_buffer_config *config);
void rbmap_instances_offer(void);
void rbmap_instances_exit(void);

int rbmap_instance_mkdir(const char *name);
int rbmap_instance_rmdir(const char *name);
void rbmap_instances_end_with(const struct file *keeper);

#endif /* RBMAP_INSTANCE_H */
