// SPDX-License-Identifier: GPL-2.0-only
#include "kinds.h"

#define SCHED_EVENTS { "sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup", \
		       "sched:sched_wakeup_new" }
#define BLOCK_EVENTS { "block:block_rq_insert", "block:block_rq_issue", \
		       "block:block_rq_complete", "block:block_rq_requeue" }

const struct kind kinds[NR_INTERVAL_KINDS] = {
	[INTERVAL_RUNQUEUE] = {
		"runqueue", "a task can run and waits for a CPU", "reason", ROW_TASK,
		.events = SCHED_EVENTS },
	[INTERVAL_OFFCPU] = {
		"offcpu", "a task does not run, and why it left its CPU", "reason", ROW_NAME,
		.events = SCHED_EVENTS },
	[INTERVAL_IRQ] = {
		"irq", "the handler of an interrupt runs", "handler", ROW_NAME,
		.events = { "irq:irq_handler_entry", "irq:irq_handler_exit" } },
	[INTERVAL_SOFTIRQ] = {
		"softirq", "a softirq runs", "softirq", ROW_NAME,
		.events = { "irq:softirq_entry", "irq:softirq_exit" } },
	[INTERVAL_SYSCALL] = {
		"syscall", "a task is in a system call", "system call", ROW_NAME,
		.events = { "raw_syscalls:sys_enter", "raw_syscalls:sys_exit" } },
	[INTERVAL_BLOCK_QUEUE] = {
		"block-queue", "a request waits in the queue of a block device", "device", ROW_NAME,
		.events = BLOCK_EVENTS },
	[INTERVAL_BLOCK_DEVICE] = {
		"block-device", "a block device works on a request", "device", ROW_NAME,
		.events = BLOCK_EVENTS },
	[INTERVAL_HRTIMER] = {
		"hrtimer", "the function of an hrtimer runs", "function", ROW_NAME,
		.events = { "timer:hrtimer_expire_entry", "timer:hrtimer_expire_exit" }, .adds_events = true },
	[INTERVAL_TIMER] = {
		"timer", "the function of a timer runs", "function", ROW_NAME,
		.events = { "timer:timer_expire_entry", "timer:timer_expire_exit" }, .adds_events = true },
	[INTERVAL_WORK] = {
		"workqueue", "a worker runs a work item", "function", ROW_NAME,
		.events = { "workqueue:workqueue_execute_start", "workqueue:workqueue_execute_end" },
		.adds_events = true },
	[INTERVAL_LOCK] = {
		"lock", "a task waits for a lock of the kernel", "lock", ROW_NAME,
		.events = { "lock:contention_begin", "lock:contention_end" }, .adds_events = true },
	[INTERVAL_RECLAIM] = {
		"reclaim", "a task frees memory before it gets some", "reclaim", ROW_TASK,
		.events = { "vmscan:mm_vmscan_direct_reclaim_begin",
			    "vmscan:mm_vmscan_direct_reclaim_end",
			    "vmscan:mm_vmscan_memcg_reclaim_begin",
			    "vmscan:mm_vmscan_memcg_reclaim_end" },
		.adds_events = true },
	[INTERVAL_FAULT] = {
		"fault", "a task is in a page fault in which it slept", "fault", ROW_TASK,
		.events = { "exceptions:page_fault_user", "raw_syscalls:sys_enter", "sched:sched_switch" },
		.adds_events = true },
	[INTERVAL_THROTTLED] = {
		"throttled", "a task can run, and its group has no time left", "cause", ROW_TASK,
		.events = { "sched:sched_switch" } },
	[INTERVAL_IRQS_OFF] = {
		"irqs-off", "a CPU took no interrupt of an hrtimer that had expired", "cause",
		ROW_TASK, .events = { "timer:hrtimer_start", "timer:hrtimer_expire_entry" },
		.adds_events = true },
	[INTERVAL_ONCPU] = {
		"oncpu", "a task runs without a break", "state", ROW_TASK,
		.events = { "sched:sched_switch" }, .on_request = true },
};
