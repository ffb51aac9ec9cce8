// SPDX-License-Identifier: GPL-2.0-only
/*
 * ftrace records whether softirqs are disabled.
 * Linux 5.17: 289e7b0f7eb4 ("tracing: Account bottom half disabled sections.")
 */
#include <linux/trace_events.h>

int trace_flag_bh_off_flag = TRACE_FLAG_BH_OFF;
