// SPDX-License-Identifier: GPL-2.0-only
/* A record that is too large for a sub-buffer must not compile. */
#include <linux/module.h>
#include <trace/events/sched.h>
#include <rbmap/probe.h>

RBMAP_PROBE(large, sched_process_fork,
	TP_PROTO(struct task_struct *parent, struct task_struct *task),
	TP_ARGS(parent, task),
	TP_STRUCT__entry(__field(pid_t, pid) __array(char, much, 4096)),
	TP_fast_assign(__entry->pid = 0;),
	TP_printk("%d", __entry->pid)
);

RBMAP_MODULE_PROBES("compat", large);
MODULE_LICENSE("GPL");
