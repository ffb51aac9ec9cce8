// SPDX-License-Identifier: GPL-2.0-only
/* Timers of jiffies and of high resolution, and the tick. */
#include <linux/hrtimer.h>
#include <linux/tick.h>
#include <linux/timer.h>
#include <trace/events/timer.h>

#define RBMAP_PROBE_SET		timer
#define RBMAP_TRACE_HEADER	"trace/events/timer.h"
#define RBMAP_TRACE_ENUMS
#define RBMAP_PROBES(event)		\
	event(timer_init)		\
	event(timer_start)		\
	event(timer_expire_entry)		\
	event(timer_expire_exit)		\
	event(timer_cancel)		\
	event(hrtimer_init)		\
	event(hrtimer_setup)		\
	event(hrtimer_start)		\
	event(hrtimer_expire_entry)		\
	event(hrtimer_expire_exit)		\
	event(hrtimer_cancel)		\
	event(tick_stop)

#include "generate.h"
