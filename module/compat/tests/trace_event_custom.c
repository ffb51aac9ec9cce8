// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trace events can belong to a tracepoint that has another event.
 * Linux 5.18: 3a73333fb370 ("tracing: Add TRACE_CUSTOM_EVENT() macro")
 */
#include <linux/trace_events.h>

int trace_event_custom_custom(void);

int trace_event_custom_custom(void)
{
	return TRACE_EVENT_FL_CUSTOM;
}
