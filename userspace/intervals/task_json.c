// SPDX-License-Identifier: GPL-2.0-only
#include "base/json.h"
#include "intervals.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_hosts.h"
#include "task_json.h"

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
