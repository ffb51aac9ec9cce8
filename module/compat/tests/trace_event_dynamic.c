// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel counts references to events that were made at run time.
 * Linux 5.15: 1d18538e6a09 ("tracing: Have dynamic events have a ref counter")
 */
#include <linux/trace_events.h>

int trace_event_dynamic_dynamic(void);

int trace_event_dynamic_dynamic(void)
{
	return TRACE_EVENT_FL_DYNAMIC;
}
