/* SPDX-License-Identifier: GPL-2.0-only */
/* The one probe of all dynamic events. */
#ifndef RBMAP_DYNAMIC_PROBE_H
#define RBMAP_DYNAMIC_PROBE_H

#include "arguments.h"

/* callback.c: for any tracepoint; declared as none, so that nobody calls it. */
extern void *const rbmap_dynamic_probe;

/* record.c, or a test */
void rbmap_dynamic_record(void *data, struct rbmap_fetch_args *args);

#endif /* RBMAP_DYNAMIC_PROBE_H */
