/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory instances: names of buffers, and the files create and destroy. */
#ifndef RBMAP_CONTROL_INSTANCES_H
#define RBMAP_CONTROL_INSTANCES_H

#include <linux/types.h>

#define RBMAP_NAME_MAX	32

struct file;
struct kobject;
struct rbmap_buffer;
struct rbmap_buffer_config;

/**
 * struct rbmap_control_instances_ops - functions for a valid text
 * @config: settings of a new buffer that the text does not have
 * @create: create a buffer, which ends with the open file @keeper unless that is NULL
 * @destroy: destroy a buffer
 *
 * Both functions return 0 or a negative error.
 */
struct rbmap_control_instances_ops {
	const struct rbmap_buffer_config *config;
	int (*create)(const char *name, const struct rbmap_buffer_config *config,
		      const struct file *keeper);
	int (*destroy)(const char *name);
};

int rbmap_control_instances_init(struct kobject *dir,
				 const struct rbmap_control_instances_ops *ops);
void rbmap_control_instances_exit(struct kobject *dir);
int rbmap_control_name(struct rbmap_buffer *buffer, const char *file, const char *name);
int rbmap_control_instance_create(struct rbmap_buffer *buffer, const char *buf, size_t len,
				  const struct file *keeper);

#endif /* RBMAP_CONTROL_INSTANCES_H */
