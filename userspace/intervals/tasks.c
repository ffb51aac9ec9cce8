// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	task->comm[size] = '\0';
}

static void init_task(const struct intervals *intervals, struct task *task, int pid)
{
	const char *comm = task_names_find(intervals->comms, pid);

	*task = (struct task){ .used = true, .pid = pid, .waker.pid = -1,
			       .prio = INTERVAL_PRIO_NONE,
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

void task_set_comm_from(const struct intervals *intervals, struct task *task,
			const struct event_context *m, unsigned int field)
{
	const struct dat_host *host = intervals->hosts ?
		dat_hosts_of_pid(intervals->hosts, task->pid) : NULL;
	char comm[DAT_HOST_NAME + COMM_ROOM];
	int prefix = host ? snprintf(comm, DAT_HOST_NAME + 1, "%s:", host->name) : 0;

	layout_text(m->layout, m->ev, field, comm + prefix, COMM_ROOM);
	set_comm(task, comm, prefix + COMM_ROOM);
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
