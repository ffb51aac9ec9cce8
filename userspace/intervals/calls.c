// SPDX-License-Identifier: GPL-2.0-only
/* System calls, which a task begins and ends on any CPU. */
#include <stdio.h>
#include <string.h>

#include "parts.h"
#include "print/fields/syscalls.h"

#define NR_ARGS	6

static const char *name_of(struct intervals *intervals, const struct layout *layout, long nr,
			   bool compat)
{
	const char *name = layout->name;
	char text[64];

	if (!name)
		name = syscalls_name(&intervals->machine, compat, nr);
	if (name && !compat)
		return intervals_name(intervals, name);
	/* Names of 32-bit programs are marked. */
	if (name)
		snprintf(text, sizeof(text), "%.40s (%s)", name, syscalls_compat_mark(&intervals->machine));
	else
		snprintf(text, sizeof(text), "system call %ld", nr);
	return intervals_name(intervals, text);
}

/* Return true if the events have numbers, which mean other calls in 32-bit programs. */
static bool is_numbered(const struct intervals *intervals, const struct layout *layout)
{
	return !layout->name && syscalls_shows_compat(&intervals->machine);
}

bool intervals_is_compat(const struct intervals *intervals, int pid)
{
	const struct task *task = intervals_find_task(intervals, pid);

	return task && task->syscall.abi == ABI_COMPAT;
}

static bool has_wide_argument(const struct event_context *m)
{
	uint64_t all = 0;

	for (unsigned int i = 0; i < NR_ARGS; i++)
		all |= layout_word(m->layout, m->ev, CALL_ARGS, i);
	return all >> 32;
}

void intervals_sys_enter(struct intervals *intervals, const struct event_context *m)
{
	struct task *task = m->pid > 0 ? intervals_task(intervals, m->pid) : NULL;

	if (!task)
		return;
	task->call = layout_number(m->layout, m->ev, CALL_NR);
	task->call_begin = m->ev->ts;
	task->call_cpu = m->ev->cpu;
	if (is_numbered(intervals, m->layout))
		syscall_state_enter(&task->syscall, task->call, has_wide_argument(m),
				    layout_word(m->layout, m->ev, CALL_ARGS, 0));
	task->call_name =
		name_of(intervals, m->layout, task->call, task->syscall.abi == ABI_COMPAT);
	task->call_args = (struct interval_call){
		.name = task->call_name,
		.has_args = layout_has(m->layout, CALL_ARGS),
	};
	for (unsigned int i = 0; i < INTERVAL_CALL_ARGS; i++)
		task->call_args.arg[i] = layout_word(m->layout, m->ev, CALL_ARGS, i);
	/* A task that calls has returned from its page fault. */
	task->fault = 0;
}

/* The end of a call may tell that a program is one of 32 bits, which has another name for it. */
static void learn_from_end(struct intervals *intervals, const struct event_context *m,
			   struct task *task)
{
	int64_t result = layout_has(m->layout, CALL_RESULT) ?
			 (int64_t)layout_number(m->layout, m->ev, CALL_RESULT) : -1;

	if (syscall_state_exit(&task->syscall, layout_number(m->layout, m->ev, CALL_END_NR), result))
		task->call_name = name_of(intervals, m->layout, task->call, true);
}

void intervals_sys_exit(struct intervals *intervals, const struct event_context *m)
{
	struct task *task = m->pid > 0 ? intervals_task(intervals, m->pid) : NULL;
	struct interval interval;

	if (!task)
		return;
	if (is_numbered(intervals, m->layout))
		learn_from_end(intervals, m, task);
	interval = (struct interval){
		.kind = INTERVAL_SYSCALL,
		.begin = task->call_begin,
		.end = m->ev->ts,
		.cpu = m->ev->cpu,
		.pid = task->pid,
		.comm = task->comm,
		.name = task->call_name,
	};
	if (task->call_begin && task->call_name &&
	    task->call == (long)layout_number(m->layout, m->ev, CALL_END_NR))
		intervals_pass(intervals, &interval, NULL);
	task->call_begin = 0;
	task->call_args.name = NULL;
}

/* exit and exit_group, also with the mark of 32-bit programs */
static bool never_returns(const char *name)
{
	size_t len = strcspn(name, " ");

	return (len == strlen("exit") && !memcmp(name, "exit", len)) ||
	       (len == strlen("exit_group") && !memcmp(name, "exit_group", len));
}

void intervals_call_end(struct intervals *intervals, const struct task *task)
{
	struct interval interval = {
		.kind = INTERVAL_SYSCALL,
		.begin = task->call_begin,
		.cpu = task->left ? task->last_cpu : task->call_cpu,
		.pid = task->pid,
		.comm = task->comm,
		.name = task->call_name,
		.asleep = task_sleeps(task),
	};

	if (task->call_begin && task->call_name && !never_returns(task->call_name))
		intervals_pass_unfinished(intervals, &interval, NULL, ROLE_SYS_EXIT);
}
