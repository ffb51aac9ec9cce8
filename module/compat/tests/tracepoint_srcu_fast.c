// SPDX-License-Identifier: GPL-2.0-only
/*
 * All tracepoints are called with preemption enabled. Older kernels have the SRCU
 * domain for the idle task, but lack tracepoint_is_faultable().
 * Linux 7.0: a46023d5616e ("tracing: Guard __DECLARE_TRACE() use of __DO_TRACE_CALL()
 * with SRCU-fast")
 */
#include <linux/srcu.h>
#include <linux/tracepoint.h>

bool tracepoint_srcu_fast_protected(struct tracepoint *tp);
bool tracepoint_srcu_fast_protected(struct tracepoint *tp)
{
	return tracepoint_is_faultable(tp) && &tracepoint_srcu;
}
