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

	return (task ? task->syscall.abi : intervals_first_abi(intervals, pid)) == ABI_COMPAT;
}

static void read_args(const struct layout *layout, const struct rbmap_event *ev,
		      uint64_t arg[NR_ARGS])
{
	for (unsigned int i = 0; i < NR_ARGS; i++)
		arg[i] = layout_word(layout, ev, CALL_ARGS, i);
}

static void learn_from_begin(struct syscall_state *state, long nr, const uint64_t arg[NR_ARGS])
{
	uint64_t all = 0;

	for (unsigned int i = 0; i < NR_ARGS; i++)
		all |= arg[i];
	syscall_state_enter(state, nr, all >> 32, arg[0]);
}

/* Return whether the call itself has told the kind. */
static bool learn_from_end(struct syscall_state *state, const struct layout *layout,
			   const struct rbmap_event *ev)
{
	int64_t result = layout_has(layout, CALL_RESULT) ?
			 (int64_t)layout_number(layout, ev, CALL_RESULT) : -1;

	return syscall_state_exit(state, layout_number(layout, ev, CALL_END_NR), result);
}

void intervals_learn_call(const struct intervals *intervals, const struct layout *layout,
			  const struct rbmap_event *ev, struct syscall_state *state)
{
	uint64_t arg[NR_ARGS];

	if (!is_numbered(intervals, layout))
		return;
	if (layout->role == ROLE_SYS_EXIT) {
		learn_from_end(state, layout, ev);
		return;
	}
	read_args(layout, ev, arg);
	learn_from_begin(state, layout_number(layout, ev, CALL_NR), arg);
}

/* The kind was not known before the event. */
static __attribute__((noinline)) void check_guess(struct intervals *intervals, struct task *task)
{
	if (task->syscall.abi == ABI_UNKNOWN)
		task->guessed = true;
	else if (task->guessed && task->syscall.abi == ABI_COMPAT)
		intervals->wants_scan = true;
}

void intervals_sys_enter(struct intervals *intervals, const struct event_context *m)
{
	struct task *task = m->pid > 0 ? intervals_task(intervals, m->pid) : NULL;
	uint64_t arg[NR_ARGS];

	if (!task)
		return;
	read_args(m->layout, m->ev, arg);
	task->call = layout_number(m->layout, m->ev, CALL_NR);
	task->call_begin = m->ev->ts;
	task->call_cpu = m->ev->cpu;
	if (is_numbered(intervals, m->layout)) {
		bool unknown = task->syscall.abi == ABI_UNKNOWN;

		learn_from_begin(&task->syscall, task->call, arg);
		if (unknown)
			check_guess(intervals, task);
	}
	task->call_name =
		name_of(intervals, m->layout, task->call, task->syscall.abi == ABI_COMPAT);
	task->call_args = (struct interval_call){
		.name = task->call_name,
		.has_args = layout_has(m->layout, CALL_ARGS),
	};
	memcpy(task->call_args.arg, arg, sizeof(task->call_args.arg));
	/* A task that calls has returned from its page fault. */
	task->fault = 0;
}

/* The end of a call may tell that a program is one of 32 bits, which has another name for it. */
static void learn_name(struct intervals *intervals, const struct event_context *m,
		       struct task *task)
{
	bool unknown = task->syscall.abi == ABI_UNKNOWN;

	if (learn_from_end(&task->syscall, m->layout, m->ev))
		task->call_name = name_of(intervals, m->layout, task->call, true);
	if (unknown)
		check_guess(intervals, task);
}

void intervals_sys_exit(struct intervals *intervals, const struct event_context *m)
{
	struct task *task = m->pid > 0 ? intervals_task(intervals, m->pid) : NULL;
	struct interval interval;

	if (!task)
		return;
	if (is_numbered(intervals, m->layout))
		learn_name(intervals, m, task);
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
