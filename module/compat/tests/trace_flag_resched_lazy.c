// SPDX-License-Identifier: GPL-2.0-only
/* ftrace tells that a reschedule can wait. */
#include <linux/sched.h>
#include <linux/trace_events.h>

int flag = TRACE_FLAG_NEED_RESCHED_LAZY;
int bit = TIF_NEED_RESCHED_LAZY;
