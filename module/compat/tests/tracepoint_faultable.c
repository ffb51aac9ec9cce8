// SPDX-License-Identifier: GPL-2.0-only
/* System calls' tracepoints are called with preemption on. */
#include <linux/tracepoint.h>

bool faultable(struct tracepoint *tp);
bool faultable(struct tracepoint *tp)
{
	return tracepoint_is_faultable(tp);
}
