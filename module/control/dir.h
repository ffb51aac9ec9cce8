/* SPDX-License-Identifier: GPL-2.0-only */
/* Directories of sysfs with a data pointer and their buffer. */
#ifndef RBMAP_CONTROL_DIR_H
#define RBMAP_CONTROL_DIR_H

#include <linux/kobject.h>

struct rbmap_buffer;

struct kobject *rbmap_dir_create(const char *name, struct kobject *parent,
				 void *data, struct rbmap_buffer *buffer);
void *rbmap_dir_data(struct kobject *dir);
void rbmap_dir_retry(struct kobject *dir);
void rbmap_dir_remove(struct kobject *dir);

#endif /* RBMAP_CONTROL_DIR_H */
