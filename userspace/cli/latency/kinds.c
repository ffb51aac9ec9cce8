// SPDX-License-Identifier: GPL-2.0-only
#include "kinds.h"

#define SCHED_EVENTS { "sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup", \
		       "sched:sched_wakeup_new" }
#define BLOCK_EVENTS { "block:block_rq_insert", "block:block_rq_issue", \
		       "block:block_rq_complete", "block:block_rq_requeue" }

const struct kind kinds[NR_INTERVAL_KINDS] = {
	[INTERVAL_RUNQUEUE] = {
		"runqueue", "a task can run and waits for a CPU", "reason", ROW_TASK,
		SCHED_EVENTS },
	[INTERVAL_OFFCPU] = {
		"offcpu", "a task does not run, and why it left its CPU", "reason", ROW_NAME,
		SCHED_EVENTS },
	[INTERVAL_IRQ] = {
		"irq", "the handler of an interrupt runs", "handler", ROW_NAME,
		{ "irq:irq_handler_entry", "irq:irq_handler_exit" } },
	[INTERVAL_SOFTIRQ] = {
		"softirq", "a softirq runs", "softirq", ROW_NAME,
		{ "irq:softirq_entry", "irq:softirq_exit" } },
	[INTERVAL_SYSCALL] = {
		"syscall", "a task is in a system call", "system call", ROW_NAME,
		{ "raw_syscalls:sys_enter", "raw_syscalls:sys_exit" } },
	[INTERVAL_BLOCK_QUEUE] = {
		"block-queue", "a request waits in the queue of a block device", "device", ROW_NAME,
		BLOCK_EVENTS },
	[INTERVAL_BLOCK_DEVICE] = {
		"block-device", "a block device works on a request", "device", ROW_NAME,
		BLOCK_EVENTS },
};
