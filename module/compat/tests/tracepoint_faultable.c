// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints of system calls are called with preemption enabled.
 * Linux 6.13: 654ced4a1377 ("tracing: Introduce tracepoint_is_faultable()")
 */
#include <linux/tracepoint.h>

bool tracepoint_faultable_faultable(struct tracepoint *tp);
bool tracepoint_faultable_faultable(struct tracepoint *tp)
{
	return tracepoint_is_faultable(tp);
}
