// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes can be attached to other events.
 * Linux 5.15: 7491e2c44278 ("tracing: Add a probe that attaches to trace events")
 */
#include <linux/trace_events.h>

int trace_event_eprobe_eprobe(void);

int trace_event_eprobe_eprobe(void)
{
	return TRACE_EVENT_FL_EPROBE;
}
