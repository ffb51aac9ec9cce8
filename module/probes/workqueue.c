// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work that is queued and executed.  workqueue_queue_work is left out: only
 * kernel/workqueue.c knows the structures that it reads.
 */
#include <linux/workqueue.h>
#include <trace/events/workqueue.h>

#define RBMAP_PROBE_SET		workqueue
#define RBMAP_TRACE_HEADER	"trace/events/workqueue.h"
#define RBMAP_PROBES(event)		\
	event(workqueue_activate_work)		\
	event(workqueue_execute_start)		\
	event(workqueue_execute_end)

#include "generate.h"
