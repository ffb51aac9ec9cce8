// SPDX-License-Identifier: GPL-2.0-only
#include "base/json.h"
#include "intervals.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_hosts.h"
#include "task_json.h"

void task_json_add(struct json *j, const struct intervals *intervals, const char *comm, int pid)
{
	const struct dat_task *task = intervals ? intervals_recorded_task(intervals, pid) : NULL;
	const struct dat_host *host = intervals ?
		dat_hosts_of_pid(intervals_hosts(intervals), pid) : NULL;

	json_number(j, "pid", pid);
	if (*comm)
		json_string(j, "comm", comm);
	else
		json_null(j, "comm");
	if (host)
		json_string(j, "host", host->name);
	if (task && task->ns_pid)
		json_number(j, "ns_pid", task->ns_pid);
	if (task)
		json_string(j, "cgroup", task->cgroup);
}
