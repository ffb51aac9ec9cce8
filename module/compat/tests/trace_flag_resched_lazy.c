// SPDX-License-Identifier: GPL-2.0-only
/*
 * ftrace records whether a lazy reschedule is pending.
 * Linux 6.13: 0172afefbfbd ("tracing: Record task flag NEED_RESCHED_LAZY.")
 */
#include <linux/sched.h>
#include <linux/trace_events.h>

int trace_flag_resched_lazy_flag = TRACE_FLAG_NEED_RESCHED_LAZY;
int trace_flag_resched_lazy_bit = TIF_NEED_RESCHED_LAZY;
