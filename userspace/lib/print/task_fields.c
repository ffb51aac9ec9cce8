// SPDX-License-Identifier: LGPL-2.1-only
#include <stdio.h>

#include "task_fields.h"

/* A program that is executed gives its thread the name of its file. */
bool task_fields_is_path(const char *event, const char *field)
{
	return !strcmp(event, "sched_process_exec") && !strcmp(field, "filename");
}

/* prev_comm belongs to prev_pid; comm and newcomm belong to pid. oldcomm is no longer valid. */
const char *task_fields_pid(const char *event, const char *field, char name[TASK_FIELD_NAME])
{
	size_t len = strlen(field);

	if (task_fields_is_path(event, field) || !strcmp(field, "newcomm"))
		return "pid";
	if (len < 4 || len >= TASK_FIELD_NAME || !strcmp(field, "oldcomm") ||
	    strcmp(field + len - 4, "comm"))
		return NULL;
	snprintf(name, TASK_FIELD_NAME, "%.*spid", (int)len - 4, field);
	return name;
}

bool task_name_copy(const struct dat_hosts *hosts, int pid, char name[TASK_NAME_SIZE],
		    const char *from, size_t size)
{
	const struct dat_host *host = hosts ? dat_hosts_of_pid(hosts, pid) : NULL;
	size_t n = 0;

	if (host)
		name += snprintf(name, DAT_HOST_NAME + 1, "%s:", host->name);
	while (n < size && n < TASK_COMM_SIZE - 1 && from[n] && from[n] != '\n') {
		name[n] = from[n];
		n++;
	}
	name[n] = '\0';
	return n;
}
