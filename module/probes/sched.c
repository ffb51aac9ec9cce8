// SPDX-License-Identifier: GPL-2.0-only
/* Scheduler: who runs, who is woken, and the lives of processes. */
#include <linux/binfmts.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <trace/events/sched.h>

#include "compat/sched.h"

#define RBMAP_PROBE_SET		sched
#define RBMAP_TRACE_HEADER	"trace/events/sched.h"
#define RBMAP_PROBES(event)		\
	event(sched_switch)		\
	event(sched_waking)		\
	event(sched_wakeup)		\
	event(sched_wakeup_new)		\
	event(sched_migrate_task)	\
	event(sched_stat_wait)		\
	event(sched_stat_sleep)		\
	event(sched_stat_iowait)	\
	event(sched_stat_blocked)	\
	event(sched_stat_runtime)	\
	event(sched_process_fork)	\
	event(sched_process_exec)	\
	event(sched_process_exit)

#include "generate.h"
