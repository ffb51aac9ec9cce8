// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task counts how often it has disabled migration, and ftrace records the count in
 * the bits where rbmap records it.
 * Linux 5.15: 54357f0c9149 ("tracing: Add migrate-disabled counter to tracing
 * output.")
 * Linux 5.17: 289e7b0f7eb4 ("tracing: Account bottom half disabled sections.")
 */
#include <linux/sched.h>
#include <linux/trace_events.h>

int migration_disabled_depth(void);
int migration_disabled_depth(void)
{
	return current->migration_disabled + TRACE_FLAG_BH_OFF;
}
