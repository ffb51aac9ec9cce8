/* SPDX-License-Identifier: GPL-2.0-only */
/* trace and snapshots: the events as text. */
#ifndef RBMAP_TRACE_H
#define RBMAP_TRACE_H

struct file_operations;

/* file->private_data is the struct rbmap_buffer until open() has returned. */
extern const struct file_operations rbmap_trace_fops;
extern const struct file_operations rbmap_snapshot_text_fops;
/* The same for one CPU: it is the struct rbmap_cpu_buffer. */
extern const struct file_operations rbmap_cpu_trace_fops;
extern const struct file_operations rbmap_cpu_snapshot_text_fops;

#endif /* RBMAP_TRACE_H */
