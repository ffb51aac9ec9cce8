// SPDX-License-Identifier: GPL-2.0-only
/*
 * Types of a kernel that does not describe its own: tracepoints with their
 * arguments, and all that these lead to.  Compiled, and never loaded: what
 * calls the probes of a tracepoint is here once more.
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
