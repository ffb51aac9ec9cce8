// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that wait for a CPU, and tasks that do not run.
 *
 * A wake-up is sched_waking, or sched_wakeup where that was not recorded. A wake-up of a
 * task that runs, or that was preempted, begins no interval: it was about to sleep, and
 * goes on.
 *
 * The kernel does not wake a task twice before the task has run. If a second wake-up comes,
 * the events in between were not recorded: a recorder leaves its own threads out. The wait
 * begins anew.
 */
#include <string.h>

#include "parts.h"
#include "print/fields/fields.h"

#define DEAD		(1 << 4 | 1 << 5)
#define UNINTERRUPTIBLE	"uninterruptible"

/* The bits of prev_state in each kernel since 4.14; without one the task was preempted. */
static const char *const states[] = {
	"sleeping", UNINTERRUPTIBLE, "stopped", "traced", "dead", "zombie", "parked",
	"idle sleep",
};

#define NR_STATES	(sizeof(states) / sizeof(states[0]))

static const char preempted[] = "preempted";
static const char woken[] = "woken";
static const char forked[] = "new";

static bool is_uninterruptible(const char *reason)
{
	return !strncmp(reason, UNINTERRUPTIBLE, strlen(UNINTERRUPTIBLE));
}

/*
 * "sleeping in futex". A task that sleeps often does so in the same call: printf() would
 * take a tenth of the time of all events.
 */
static const char *name_in(struct intervals *intervals, const char *name, const char *call)
{
	size_t len = strlen(name), call_len = strlen(call);
	char text[128];

	if (call_len > sizeof(text) - len - 5)
		call_len = sizeof(text) - len - 5;
	memcpy(text, name, len);
	memcpy(text + len, " in ", 4);
	memcpy(text + len + 4, call, call_len);
	text[len + 4 + call_len] = '\0';
	return intervals_name(intervals, text);
}

static const char *reason_of(struct intervals *intervals, const struct task *task, uint64_t state)
{
	const char *name = preempted;

	for (unsigned int i = 0; i < NR_STATES; i++)
		if (state & 1 << i) {
			name = states[i];
			break;
		}
	if (name == preempted)
		return name;
	if (task->fault && is_uninterruptible(name))
		return name_in(intervals, name, "page fault");
	if (!task->call_begin || !task->call_name)
		return name;
	return name_in(intervals, name, task->call_name);
}

/*
 * A task that can run leaves its CPU to an idle one, or to one that may not run before it.
 * The scheduler does so only if the task's group has used up its time.
 */
static bool is_throttled(const struct event_context *m)
{
	int prev, next;

	if (!layout_number(m->layout, m->ev, SWITCH_NEXT_PID))
		return true;
	if (!layout_has(m->layout, SWITCH_PREV_PRIO) || !layout_has(m->layout, SWITCH_NEXT_PRIO))
		return false;
	prev = layout_number(m->layout, m->ev, SWITCH_PREV_PRIO);
	next = layout_number(m->layout, m->ev, SWITCH_NEXT_PRIO);
	return prev < INTERVAL_RT_PRIOS && next >= INTERVAL_RT_PRIOS;
}

void intervals_add_run(struct cpu *cpu, int pid, uint64_t ts)
{
	cpu->run[cpu->nr_runs++ % NR_RUNS] = (struct run){ pid, cpu->since, ts };
}

static void leave(struct intervals *intervals, const struct event_context *m, int pid)
{
	uint64_t state = layout_number(m->layout, m->ev, SWITCH_PREV_STATE);
	struct task *task = intervals_task(intervals, pid);

	if (!task)
		return;
	task_set_comm_from(intervals, task, m, SWITCH_PREV_COMM);
	task->running = false;
	/* A dead task's pid may go to another task. */
	task->left = state & DEAD ? 0 : m->ev->ts;
	task->call_begin = state & DEAD ? 0 : task->call_begin;
	task->last_cpu = m->ev->cpu;
	task->why_left = reason_of(intervals, task, state);
	task->runnable = 0;
	task->wakes = 0;
	task->waker.pid = -1;
	task->throttled = false;
	if (layout_has(m->layout, SWITCH_PREV_PRIO))
		task->prio = layout_number(m->layout, m->ev, SWITCH_PREV_PRIO);
	if (task->why_left == preempted) {
		task->runnable = m->ev->ts;
		task->why_runnable = preempted;
		task->throttled = is_throttled(m);
	}
}

/* The caller sets the end. */
static struct interval interval_of(const struct task *task, enum interval_kind kind, int cpu)
{
	bool waits = kind == INTERVAL_RUNQUEUE;

	return (struct interval){
		.kind = kind,
		.begin = waits ? task->runnable : task->left,
		.cpu = cpu,
		.pid = task->pid,
		.comm = task->comm,
		.name = waits ? task->why_runnable : task->why_left,
		.waker = &task->waker,
		.woken = task->runnable,
		.left_cpu = task->last_cpu,
		.prio = task->prio,
		.call = &task->call_args,
	};
}

/* Pass the time in which the task's group had used up its own: until the task ran, or now. */
static struct interval throttled_of(const struct task *task, int cpu)
{
	struct interval interval = interval_of(task, INTERVAL_RUNQUEUE, cpu);

	interval.kind = INTERVAL_THROTTLED;
	interval.name = task->prio < INTERVAL_RT_PRIOS ? "real-time" : "quota";
	return interval;
}

static void pass(struct intervals *intervals, struct interval interval, uint64_t ts)
{
	interval.end = ts;
	if (interval.begin && interval.name)
		intervals_pass(intervals, &interval, NULL);
}

static void pass_unfinished(struct intervals *intervals, struct interval interval)
{
	if (interval.begin && interval.name)
		intervals_pass_unfinished(intervals, &interval, NULL, ROLE_SWITCH);
}

static void arrive(struct intervals *intervals, const struct event_context *m, int pid)
{
	struct task *task = intervals_task(intervals, pid);

	if (!task)
		return;
	task_set_comm_from(intervals, task, m, SWITCH_NEXT_COMM);
	if (layout_has(m->layout, SWITCH_NEXT_PRIO))
		task->prio = layout_number(m->layout, m->ev, SWITCH_NEXT_PRIO);
	if (task->throttled)
		pass(intervals, throttled_of(task, m->ev->cpu), m->ev->ts);
	if (task->fault && task->why_left && is_uninterruptible(task->why_left))
		intervals_fault_slept(intervals, task, m);
	pass(intervals, interval_of(task, INTERVAL_RUNQUEUE, m->ev->cpu), m->ev->ts);
	pass(intervals, interval_of(task, INTERVAL_OFFCPU, m->ev->cpu), m->ev->ts);
	task_runs(task);
}

void intervals_pass_run(struct intervals *intervals, struct interval *run, int number)
{
	const struct cpu *cpu = intervals->cpu[number];

	run->kind = INTERVAL_ONCPU;
	run->begin = cpu->since;
	run->cpu = number;
	run->comm = intervals_comm(intervals, run->pid);
	run->name = run->pid ? "running" : "idle";
	if (run->end > run->begin)
		intervals_pass(intervals, run, cpu);
}

/* The task leaves the CPU on which it has run since an event that said so. */
static void end_run(struct intervals *intervals, const struct event_context *m, int pid)
{
	struct interval run = { .pid = pid, .end = m->ev->ts, .prio = INTERVAL_PRIO_NONE };

	if (layout_has(m->layout, SWITCH_PREV_PRIO))
		run.prio = layout_number(m->layout, m->ev, SWITCH_PREV_PRIO);
	intervals_pass_run(intervals, &run, m->ev->cpu);
	intervals_add_run(m->cpu, pid, m->ev->ts);
}

void intervals_sched_switch(struct intervals *intervals, const struct event_context *m)
{
	int prev = layout_number(m->layout, m->ev, SWITCH_PREV_PID);
	int next = layout_number(m->layout, m->ev, SWITCH_NEXT_PID);

	if (m->cpu->pid == prev)
		end_run(intervals, m, prev);
	if (prev > 0)
		leave(intervals, m, prev);
	m->cpu->pid = next;
	m->cpu->since = m->ev->ts;
	/* The waits of @next show who ran before it. */
	if (next > 0)
		arrive(intervals, m, next);
}

/* Return whether the wake-up is the first one, or events between two are missing. */
static bool begins_wait(struct task *task, enum layout_role role)
{
	bool again = task->wakes & 1U << role;

	if (task->running || (task->runnable && task->why_runnable == preempted))
		return false;
	if (again)
		task->wakes = 0;
	task->wakes |= 1U << role;
	return again || !task->runnable;
}

void intervals_sched_wake(struct intervals *intervals, const struct event_context *m)
{
	int pid = layout_number(m->layout, m->ev, WAKE_PID);
	struct task *task = pid > 0 ? intervals_task(intervals, pid) : NULL;
	const struct task *waker;

	if (!task || !begins_wait(task, m->layout->role))
		return;
	task_set_comm_from(intervals, task, m, WAKE_COMM);
	task->runnable = m->ev->ts;
	task->why_runnable = woken;
	if (m->layout->role == ROLE_WAKEUP_NEW) {
		task->why_runnable = forked;
		task->left = 0;
	}
	task->waker = (struct interval_waker){
		.pid = m->pid, .cpu = m->ev->cpu, .flags = m->flags,
	};
	waker = m->pid > 0 ? intervals_find_task(intervals, m->pid) : NULL;
	if (waker)
		memcpy(task->waker.comm, waker->comm, sizeof(task->waker.comm));
}

bool interval_is_uninterruptible(const struct interval *interval)
{
	return interval->kind == INTERVAL_OFFCPU && is_uninterruptible(interval->name);
}

bool comm_is_recorder(const char *comm)
{
	return !strcmp(comm, "rbmap") || !strncmp(comm, "rbmap-", strlen("rbmap-"));
}

bool interval_is_idle(const struct interval *interval)
{
	return interval->asleep || !strcmp(interval->name, "idle sleep") ||
	       comm_is_recorder(interval->comm);
}

bool task_sleeps(const struct task *task)
{
	return task->left && !task->runnable && task->why_left &&
	       !is_uninterruptible(task->why_left);
}

static int by_pid(const void *a, const void *b)
{
	const struct task *x = *(const struct task *const *)a;
	const struct task *y = *(const struct task *const *)b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void intervals_tasks_end(struct intervals *intervals)
{
	struct task **sorted = hash_sorted(&intervals->tasks, by_pid);

	if (!sorted) {
		intervals->failed = true;
		return;
	}
	for (size_t i = 0; i < intervals->tasks.nr; i++) {
		const struct task *task = sorted[i];

		pass_unfinished(intervals, interval_of(task, INTERVAL_RUNQUEUE, task->last_cpu));
		if (task->throttled)
			pass_unfinished(intervals, throttled_of(task, task->last_cpu));
		/* Many tasks sleep for ever, and nothing is wrong with them. */
		if (task->why_left &&
		    (intervals->passes_sleepers || is_uninterruptible(task->why_left)))
			pass_unfinished(intervals,
					interval_of(task, INTERVAL_OFFCPU, task->last_cpu));
		intervals_stages_end(intervals, task);
		intervals_call_end(intervals, task);
	}
	free(sorted);
}
