/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the kernel header that declares a tracepoint. */
#ifndef RBMAP_NEW_PROBE_TRACE_HEADER_H
#define RBMAP_NEW_PROBE_TRACE_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Store the name for #include <>: "trace/events/sched.h". @kdir is the
 * directory against which modules are built. Return false if no header that
 * modules can include declares the tracepoint.
 */
bool trace_header_find(const char *kdir, const char *tracepoint, char *header,
		       size_t size);

/*
 * Return how certain it is that the text declares the tracepoint; 0: it does
 * not.
 */
int trace_header_declares(const char *text, const char *tracepoint);

#endif /* RBMAP_NEW_PROBE_TRACE_HEADER_H */
