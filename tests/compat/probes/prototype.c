// SPDX-License-Identifier: GPL-2.0-only
/* A prototype other than the tracepoint's must not compile. */
#include <linux/module.h>
#include <trace/events/sched.h>
#include <rbmap/probe.h>

RBMAP_PROBE(prototype, sched_process_fork,
	TP_PROTO(pid_t parent, pid_t task),
	TP_ARGS(parent, task),
	TP_STRUCT__entry(__field(pid_t, pid)),
	TP_fast_assign(__entry->pid = task;),
	TP_printk("%d", __entry->pid)
);

RBMAP_MODULE_PROBES("compat", prototype);
MODULE_LICENSE("GPL");
