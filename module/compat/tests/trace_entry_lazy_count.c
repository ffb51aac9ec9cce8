// SPDX-License-Identifier: GPL-2.0-only
/*
 * A record counts how often lazy preemption was disabled. The real-time patches add
 * the field; Linux itself never had it.
 */
#include <linux/trace_events.h>

unsigned char trace_entry_lazy_count_count(struct trace_entry *entry);
unsigned char trace_entry_lazy_count_count(struct trace_entry *entry)
{
	return entry->preempt_lazy_count;
}
