/* SPDX-License-Identifier: GPL-2.0-only */
/* /sys/kernel/rbmap */
#ifndef RBMAP_CONTROL_H
#define RBMAP_CONTROL_H

#include <linux/kobject.h>

#include "buffer.h"

int rbmap_control_init(struct rbmap_buffer *buf);
void rbmap_control_exit(void);
int rbmap_control_add_cpu(int cpu);

/* The rest is for the files named control_* only. */

int rbmap_control_number(const char *name, const char *buf, size_t len,
			 unsigned long max, unsigned long *value);
int rbmap_control_refuse(const char *name, const char *buf, size_t len,
			 const char *wanted);
void rbmap_control_remove(struct kobject *dir);

ssize_t rbmap_control_snapshot_show(struct rbmap_buffer *buf, int which,
				    char *page);
ssize_t rbmap_control_snapshot_store(struct rbmap_buffer *buf, int which,
				     const char *name, const char *page,
				     size_t len);
ssize_t rbmap_control_size_show(struct rbmap_buffer *buf, int which,
				bool subbuf, char *page);
ssize_t rbmap_control_size_store(struct rbmap_buffer *buf, int which,
				 bool subbuf, const char *name,
				 const char *page, size_t len);

int rbmap_control_events_init(struct kobject *root, struct rbmap_buffer *buf);
void rbmap_control_events_exit(void);

int rbmap_control_cpus_init(struct kobject *root, struct rbmap_buffer *buf);
void rbmap_control_cpus_exit(void);

#endif /* RBMAP_CONTROL_H */
