// SPDX-License-Identifier: GPL-2.0-only
/* Tasks: new ones, and their names. */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <trace/events/task.h>

#define RBMAP_PROBE_SET		task
#define RBMAP_TRACE_HEADER	"trace/events/task.h"
#define RBMAP_PROBES(event)		\
	event(task_newtask)		\
	event(task_rename)

#include "generate.h"
