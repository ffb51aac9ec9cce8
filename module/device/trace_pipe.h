/* SPDX-License-Identifier: GPL-2.0-only */
/* trace_pipe: the events as text, for a reader that waits. */
#ifndef RBMAP_TRACE_PIPE_H
#define RBMAP_TRACE_PIPE_H

struct file_operations;

/* file->private_data is the struct rbmap_buffer until open() has returned. */
extern const struct file_operations rbmap_trace_pipe_fops;
/* The same for one CPU: it is the struct rbmap_cpu_buffer. */
extern const struct file_operations rbmap_cpu_trace_pipe_fops;

#endif /* RBMAP_TRACE_PIPE_H */
