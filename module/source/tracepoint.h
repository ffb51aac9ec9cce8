/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's tracepoints, and those of modules. */
#ifndef RBMAP_SOURCE_TRACEPOINT_H
#define RBMAP_SOURCE_TRACEPOINT_H

#include <linux/tracepoint.h>

int rbmap_tracepoints_init(void);
void rbmap_tracepoints_exit(void);
struct tracepoint *rbmap_tracepoint_find(const char *name);

#endif /* RBMAP_SOURCE_TRACEPOINT_H */
