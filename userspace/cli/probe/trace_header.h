/* SPDX-License-Identifier: GPL-2.0-only */
/* Which header of a kernel declares a tracepoint? */
#ifndef RBMAP_CLI_TRACE_HEADER_H
#define RBMAP_CLI_TRACE_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * As #include <> wants it: "trace/events/sched.h".  @kdir: where modules are
 * built for the kernel.  False: no header does that modules can include.
 */
bool trace_header_find(const char *kdir, const char *tracepoint, char *header,
		       size_t size);

/* How surely does a header's text declare it?  0: it does not. */
int trace_header_declares(const char *text, const char *tracepoint);

#endif /* RBMAP_CLI_TRACE_HEADER_H */
