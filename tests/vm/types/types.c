// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types for a kernel without BTF: tracepoints with their arguments, and all
 * types that these refer to. This file is compiled, but never loaded; it
 * defines again the functions that call a tracepoint's probes.
 */
#include <linux/interrupt.h>
#include <linux/sched.h>
#include <linux/hrtimer.h>
#include <linux/sched/signal.h>
#include <linux/tick.h>
#include <linux/timer.h>

#define CREATE_TRACE_POINTS
#include <trace/events/sched.h>
#include <trace/events/irq.h>
#include <trace/events/task.h>
#include <trace/events/timer.h>
