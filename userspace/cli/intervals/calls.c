// SPDX-License-Identifier: GPL-2.0-only
/* System calls, which a task begins and ends on any CPU. */
#include <stdio.h>

#include "parts.h"
#include "show/syscalls.h"

static const char *name_of(struct intervals *iv, const struct layout *layout, long nr)
{
	const char *name = layout->name ? layout->name : syscalls_name(nr);
	char number[32];

	if (name)
		return intervals_name(iv, name);
	snprintf(number, sizeof(number), "system call %ld", nr);
	return intervals_name(iv, number);
}

void intervals_sys_enter(struct intervals *iv, const struct moment_of *m)
{
	struct task *task = m->pid > 0 ? intervals_task(iv, m->pid) : NULL;

	if (!task)
		return;
	task->call = layout_number(m->layout, m->ev, CALL_NR);
	task->call_begin = m->ev->ts;
	task->call_name = name_of(iv, m->layout, task->call);
}

void intervals_sys_exit(struct intervals *iv, const struct moment_of *m)
{
	struct task *task = m->pid > 0 ? intervals_task(iv, m->pid) : NULL;
	struct interval interval;

	if (!task)
		return;
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
	    task->call == (long)layout_number(m->layout, m->ev, CALL_NR))
		intervals_pass(iv, &interval, iv->lossless_since);
	task->call_begin = 0;
}
