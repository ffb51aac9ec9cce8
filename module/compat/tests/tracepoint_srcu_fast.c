// SPDX-License-Identifier: GPL-2.0-only
/*
 * All tracepoints are called with preemption on. Older kernels have the SRCU
 * domain too, but for the idle task, and can't tell the ones that may fault.
 */
#include <linux/srcu.h>
#include <linux/tracepoint.h>

bool protected(struct tracepoint *tp);
bool protected(struct tracepoint *tp)
{
	return tracepoint_is_faultable(tp) && &tracepoint_srcu;
}
