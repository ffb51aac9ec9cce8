// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "parts.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_hosts.h"

#define COMM_ROOM	17	/* the kernel's TASK_COMM_LEN, and a 0 byte */

#define FIRST_SLOTS	1024	/* a power of two */

static inline size_t hash_of(int pid)
{
	return hash_u32(pid);
}

static inline int pid_of(const struct task *task)
{
	return task->pid;
}

static inline bool is_of(const struct task *task, int pid)
{
	return task->pid == pid;
}

HASH_FUNCTIONS(task_table, struct task, int, FIRST_SLOTS, hash_of, is_of, pid_of);

/* Set a task's name from @size bytes, which a 0 may end. */
static void set_comm(struct task *task, const char *comm, size_t size)
{
	size = strnlen(comm, size < INTERVAL_COMM_SIZE ? size : INTERVAL_COMM_SIZE);
	memcpy(task->comm, comm, size);
	memset(task->comm + size, 0, sizeof(task->comm) - size);
}

static void init_task(const struct intervals *intervals, struct task *task, int pid)
{
	const char *comm = task_names_find(intervals->comms, pid);
	bool named = task_names_has_first(intervals->comms, pid);

	*task = (struct task){ .used = true, .pid = pid, .waker.pid = -1,
			       .prio = INTERVAL_PRIO_NONE,
			       .named = named, .first_event = intervals->nr_events,
			       .syscall.abi = intervals_first_abi(intervals, pid) };
	if (comm)
		set_comm(task, comm, INTERVAL_COMM_SIZE);
}

struct task *intervals_task(struct intervals *intervals, int pid)
{
	struct task *task = task_table_place(&intervals->tasks, pid);

	if (!task) {
		intervals->failed = true;
		return NULL;
	}
	if (!task->used) {
		init_task(intervals, task, pid);
		intervals->tasks.nr++;
	}
	return task;
}

const struct task *intervals_find_task(const struct intervals *intervals, int pid)
{
	return task_table_find(&intervals->tasks, pid);
}

/* Keep the name that a task has until now. */
static void keep_comm(struct intervals *intervals, const struct task *task, uint64_t ts)
{
	const char *comm = intervals_name(intervals, task->comm);

	if (!comm || !array_grow(intervals->old_comm, intervals->nr_old_comms)) {
		intervals->failed = true;
		return;
	}
	intervals->old_comm[intervals->nr_old_comms++] = (struct old_comm){
		.pid = task->pid, .until = ts, .order = intervals->nr_events, .comm = comm,
	};
}

/*
 * An event says a new name, or the first one. @before: the name that the task had before it. If
 * earlier intervals got another name, that of the table, this was wrong.
 */
static __attribute__((noinline)) void change_comm(struct intervals *intervals, struct task *task,
						  uint64_t ts, const char *before,
						  const char *comm)
{
	if (!task->named && task->first_event != intervals->nr_events &&
	    strcmp(task->comm, before))
		intervals->wants_scan = true;
	task->named = true;
	if (!strcmp(task->comm, comm))
		return;
	if (intervals->keeps_comms)
		keep_comm(intervals, task, ts);
	set_comm(task, comm, INTERVAL_COMM_SIZE);
}

/*
 * Has an event told this name before? Most events say nothing new. The kernel fills up its names
 * with zeros, as set_comm() does.
 */
static inline bool has_comm(const struct intervals *intervals, const struct task *task,
			    const struct layout_field *field, const struct rbmap_event *ev)
{
	return task->named && !intervals->hosts && !field->dynamic &&
	       field->size == COMM_ROOM - 1 &&
	       !memcmp(task->comm, (const char *)ev->data + field->offset, COMM_ROOM - 1);
}

static void learn_comm(struct intervals *intervals, const struct comm_fields *fields,
		       const struct rbmap_event *ev)
{
	char comm[INTERVAL_COMM_SIZE + 1], old[INTERVAL_COMM_SIZE + 1];
	int pid = comms_pid(fields, ev);
	const char *text = "", *before = fields->is_path ? "" : comm;
	size_t size;
	struct task *task = pid > 0 ? task_table_find(&intervals->tasks, pid) : NULL;

	if (pid <= 0 || (task && has_comm(intervals, task, &fields->comm, ev)))
		return;
	size = comms_text(&fields->comm, fields->is_path, ev, &text);
	if (!task_name_copy(intervals->hosts, pid, comm, text, size))
		return;
	if (!task) {
		if (task_names_set_first(intervals->comms, pid, comm) < 0 ||
		    task_names_set(intervals->comms, pid, comm) < 0)
			intervals->failed = true;
		return;
	}
	if (fields->before.size) {
		size = comms_text(&fields->before, false, ev, &text);
		if (task_name_copy(intervals->hosts, pid, old, text, size))
			before = old;
	}
	change_comm(intervals, task, ev->ts, before, comm);
}

void intervals_learn_comms(struct intervals *intervals, const struct rbmap_event *ev)
{
	const struct layout_comms *comms = layouts_comms(intervals->layouts, ev);

	for (unsigned int i = 0; comms && i < comms->nr; i++)
		learn_comm(intervals, &comms->comm[i], ev);
}

static int by_pid_and_order(const void *a, const void *b)
{
	const struct old_comm *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

void intervals_sort_comms(struct intervals *intervals)
{
	if (intervals->nr_old_comms)
		qsort(intervals->old_comm, intervals->nr_old_comms, sizeof(*intervals->old_comm),
		      by_pid_and_order);
}

/* Return the number of the first name of the task that it had at that time or behind. */
static size_t old_comm_at(const struct intervals *intervals, int pid, uint64_t time)
{
	size_t low = 0, high = intervals->nr_old_comms;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct old_comm *old = &intervals->old_comm[middle];

		if (old->pid < pid || (old->pid == pid && old->until <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Return a name of the task, or NULL: it has no more of them. */
static const char *old_comm(const struct intervals *intervals, size_t number, int pid)
{
	if (number >= intervals->nr_old_comms || intervals->old_comm[number].pid != pid)
		return NULL;
	return intervals->old_comm[number].comm;
}

const char *intervals_comm_at(const struct intervals *intervals, int pid, uint64_t time)
{
	const char *comm = old_comm(intervals, old_comm_at(intervals, pid, time), pid);

	return comm ? comm : intervals_comm(intervals, pid);
}

bool intervals_had_comm(const struct intervals *intervals, int pid, const char *pattern)
{
	size_t number = old_comm_at(intervals, pid, 0);
	const char *comm;

	for (; (comm = old_comm(intervals, number, pid)); number++)
		if (!fnmatch(pattern, comm, 0))
			return true;
	return !fnmatch(pattern, intervals_comm(intervals, pid), 0);
}

void intervals_keep_comms(struct intervals *intervals)
{
	intervals->keeps_comms = true;
}

static __attribute__((noinline)) void read_comm(struct intervals *intervals, struct task *task,
						const struct event_context *m, unsigned int field)
{
	const struct dat_host *host = intervals->hosts ?
		dat_hosts_of_pid(intervals->hosts, task->pid) : NULL;
	char comm[DAT_HOST_NAME + COMM_ROOM];
	int prefix = host ? snprintf(comm, DAT_HOST_NAME + 1, "%s:", host->name) : 0;

	layout_text(m->layout, m->ev, field, comm + prefix, COMM_ROOM);
	if (comm[prefix] && (!task->named || strcmp(task->comm, comm)))
		change_comm(intervals, task, m->ev->ts, comm, comm);
}

void task_set_comm_from(struct intervals *intervals, struct task *task,
			const struct event_context *m, unsigned int field)
{
	if (!has_comm(intervals, task, &m->layout->field[field], m->ev))
		read_comm(intervals, task, m, field);
}

void task_runs(struct task *task)
{
	task->running = true;
	task->runnable = 0;
	task->wakes = 0;
	task->left = 0;
	task->waker.pid = -1;
	task->throttled = false;
}

int intervals_add_comm(struct intervals *intervals, int pid, const char *comm)
{
	return task_names_set(intervals->comms, pid, comm) < 0 ? -ENOMEM : 0;
}

/* ---- tasks in JSON */

void task_json_add_host(struct json *j, const struct intervals *intervals, int pid, int cpu)
{
	const struct dat_host *host = intervals ?
		dat_hosts_of_task(intervals_hosts(intervals), pid, cpu) : NULL;

	if (host)
		json_string(j, "host", host->name);
}

void task_json_add(struct json *j, const struct intervals *intervals, const char *comm, int pid,
		   int cpu)
{
	const struct dat_task *task = intervals ? intervals_recorded_task(intervals, pid) : NULL;

	json_number(j, "pid", pid);
	if (*comm)
		json_string(j, "comm", comm);
	else
		json_null(j, "comm");
	task_json_add_host(j, intervals, pid, cpu);
	if (task && task->ns_pid)
		json_number(j, "ns_pid", task->ns_pid);
	if (task)
		json_string(j, "cgroup", task->cgroup);
}
