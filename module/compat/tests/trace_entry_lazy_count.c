// SPDX-License-Identifier: GPL-2.0-only
/* Records tell how often lazy preemption is off: the real-time patches do. */
#include <linux/trace_events.h>

unsigned char count(struct trace_entry *entry);
unsigned char count(struct trace_entry *entry)
{
	return entry->preempt_lazy_count;
}
