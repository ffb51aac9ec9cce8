// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stages of a task between two events of its own: a work item, a lock of the kernel, the
 * reclaim of memory, a page fault. It may sleep meanwhile.
 *
 * Interrupts wait for locks, too, in the name of the task that they interrupt: the address
 * of the lock tells which wait ends. The wait of the task is forgotten then. Such waits are
 * those of spinning locks, which are short.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parts.h"

/* The flags of contention_begin */
#define LOCK_SPIN	(1 << 0)
#define LOCK_READ	(1 << 1)
#define LOCK_WRITE	(1 << 2)
#define LOCK_RT		(1 << 3)
#define LOCK_PERCPU	(1 << 4)
#define LOCK_MUTEX	(1 << 5)

static const char *lock_type(uint64_t flags)
{
	if (flags & LOCK_MUTEX)
		return "mutex";
	if (flags & LOCK_PERCPU)
		return flags & LOCK_READ ? "percpu-rwsem (read)" : "percpu-rwsem (write)";
	if (flags & LOCK_RT)
		return "rtmutex";
	if (flags & LOCK_SPIN)
		return flags & LOCK_READ ? "rwlock (read)" :
		       flags & LOCK_WRITE ? "rwlock (write)" : "spinlock";
	if (flags & (LOCK_READ | LOCK_WRITE))
		return flags & LOCK_READ ? "rwsem (read)" : "rwsem (write)";
	return "semaphore";
}

static const char *lock_name(struct intervals *intervals, const struct event_context *m)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %016" PRIx64,
		 lock_type(layout_number(m->layout, m->ev, LOCK_FLAGS)),
		 layout_number(m->layout, m->ev, LOCK_ADDRESS));
	return intervals_name(intervals, text);
}

/* A group that has too much memory frees some, or a task frees some for all. */
static const char *reclaim_name(const struct event_context *m)
{
	return m->layout->name && !strcmp(m->layout->name, "direct") ? "direct reclaim" :
								     "reclaim of the cgroup";
}

static struct stage *stage_of(struct task *task, enum layout_role role)
{
	switch (role) {
	case ROLE_WORK_BEGIN:
	case ROLE_WORK_END:
		return &task->work;
	case ROLE_LOCK_BEGIN:
	case ROLE_LOCK_END:
		return &task->lock;
	default:
		return &task->reclaim;
	}
}

static bool has_key(enum layout_role role)
{
	return role != ROLE_RECLAIM_BEGIN && role != ROLE_RECLAIM_END;
}

static const char *name_of(struct intervals *intervals, const struct event_context *m)
{
	switch (m->layout->role) {
	case ROLE_WORK_BEGIN:
		return intervals_function(intervals,
					  layout_number(m->layout, m->ev, WORK_FUNCTION));
	case ROLE_LOCK_BEGIN:
		return lock_name(intervals, m);
	default:
		return reclaim_name(m);
	}
}

void intervals_stage_begin(struct intervals *intervals, const struct event_context *m)
{
	struct task *task = m->pid > 0 ? intervals_task(intervals, m->pid) : NULL;

	if (!task)
		return;
	*stage_of(task, m->layout->role) = (struct stage){
		.begin = m->ev->ts,
		.key = has_key(m->layout->role) ? layout_number(m->layout, m->ev, WORK_ADDRESS) : 0,
		.name = name_of(intervals, m),
	};
}

static struct interval interval_of(const struct task *task, enum interval_kind kind,
				   const struct stage *stage)
{
	return (struct interval){
		.kind = kind,
		.begin = stage->begin,
		.cpu = task->last_cpu,
		.pid = task->pid,
		.comm = task->comm,
		.name = stage->name,
		.lock = kind == INTERVAL_LOCK ? stage->key : 0,
	};
}

static enum interval_kind kind_of(enum layout_role role)
{
	return role == ROLE_WORK_END ? INTERVAL_WORK : role == ROLE_LOCK_END ? INTERVAL_LOCK :
									     INTERVAL_RECLAIM;
}

void intervals_stage_end(struct intervals *intervals, const struct event_context *m)
{
	enum layout_role role = m->layout->role;
	struct task *task = m->pid > 0 ? intervals_task(intervals, m->pid) : NULL;
	struct stage *stage = task ? stage_of(task, role) : NULL;
	struct interval interval;

	if (!stage || !stage->begin || !stage->name)
		return;
	if (has_key(role) && stage->key != layout_number(m->layout, m->ev, WORK_ADDRESS))
		return;
	interval = interval_of(task, kind_of(role), stage);
	interval.cpu = m->ev->cpu;
	interval.end = m->ev->ts;
	stage->begin = 0;
	intervals_pass(intervals, &interval, NULL);
}

/*
 * A page fault has no event at its end. It ends before the next one and before the next
 * system call, so both must have been recorded to tell a sleep in it from others.
 */
void intervals_fault(struct intervals *intervals, const struct event_context *m)
{
	struct task *task = m->pid > 0 ? intervals_task(intervals, m->pid) : NULL;

	if (task && layouts_has_role(intervals->layouts, ROLE_SYS_ENTER))
		task->fault = m->ev->ts;
}

void intervals_fault_slept(struct intervals *intervals, struct task *task,
			   const struct event_context *m)
{
	struct interval interval = {
		.kind = INTERVAL_FAULT,
		.begin = task->fault,
		.end = m->ev->ts,
		.cpu = m->ev->cpu,
		.pid = task->pid,
		.comm = task->comm,
		.name = "page fault",
	};

	intervals_pass(intervals, &interval, NULL);
	/* If the task sleeps again in this fault, another interval begins. */
	task->fault = m->ev->ts;
}

void intervals_stages_end(struct intervals *intervals, const struct task *task)
{
	static const enum interval_kind kind[] = { INTERVAL_WORK, INTERVAL_LOCK, INTERVAL_RECLAIM };
	static const enum layout_role end[] = { ROLE_WORK_END, ROLE_LOCK_END, ROLE_RECLAIM_END };
	const struct stage *const stage[] = { &task->work, &task->lock, &task->reclaim };

	for (unsigned int i = 0; i < 3; i++) {
		struct interval interval = interval_of(task, kind[i], stage[i]);

		if (interval.begin && interval.name)
			intervals_pass_unfinished(intervals, &interval, NULL, end[i]);
	}
}
