// SPDX-License-Identifier: GPL-2.0-only
/* ftrace tells that softirqs are off. */
#include <linux/trace_events.h>

int flag = TRACE_FLAG_BH_OFF;
