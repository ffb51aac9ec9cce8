// SPDX-License-Identifier: GPL-2.0-only
/* Two fields with the same name must not compile. */
#include <linux/module.h>
#include <trace/events/sched.h>
#include <rbmap/probe.h>

RBMAP_PROBE(twice, sched_process_fork,
	TP_PROTO(struct task_struct *parent, struct task_struct *task),
	TP_ARGS(parent, task),
	TP_STRUCT__entry(__field(pid_t, pid) __string(text, "") __field(int, pid)),
	TP_fast_assign(__entry->pid = 0;),
	TP_printk("%d", __entry->pid)
);

RBMAP_MODULE_PROBES("compat", twice);
MODULE_LICENSE("GPL");
