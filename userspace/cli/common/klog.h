/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel log says of the module from now on: a refused load has one
 * errno for many causes, and its line in the log names the one.
 */
#ifndef RBMAP_CLI_KLOG_H
#define RBMAP_CLI_KLOG_H

#include <stddef.h>

int klog_open(void);		/* -1: not readable */
/* The last line "rbmap: ..." since, without the prefix; "": none.  Closes. */
void klog_last(int fd, char *line, size_t size);

/* control_write(), and what the kernel has to say about it. */
int klog_write(const char *file, const char *text, char *told, size_t size);

#endif /* RBMAP_CLI_KLOG_H */
