/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/rbmap/trace: discard all unread events. */
#ifndef RBMAP_TRACE_H
#define RBMAP_TRACE_H

struct file_operations;

extern const struct file_operations rbmap_trace_fops;

#endif /* RBMAP_TRACE_H */
