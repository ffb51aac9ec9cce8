/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read what the module logs from now on. A refused load has one errno for many
 * reasons; the log names the reason.
 */
#ifndef RBMAP_KERNEL_KLOG_H
#define RBMAP_KERNEL_KLOG_H

#include <stddef.h>

int klog_open(void);		/* -1: not readable */
/*
 * Store the last line "rbmap: ..." since klog_open() without its prefix, or "".
 * Close @fd.
 */
void klog_last(int fd, char *line, size_t size);

/* Call control_write(), and store the module's log line about it. */
int klog_write(const char *file, const char *text, char *told, size_t size);

#endif /* RBMAP_KERNEL_KLOG_H */
