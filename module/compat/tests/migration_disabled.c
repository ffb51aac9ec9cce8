// SPDX-License-Identifier: GPL-2.0-only
/* A task knows how often it has disabled migration, and ftrace tells. */
#include <linux/sched.h>
#include <linux/trace_events.h>

int depth(void);
int depth(void)
{
	return current->migration_disabled + TRACE_FLAG_BH_OFF;
}
