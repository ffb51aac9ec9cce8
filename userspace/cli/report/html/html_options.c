// SPDX-License-Identifier: GPL-2.0-only
#include "base/complain.h"
#include "command/command.h"
#include "html_options.h"

int html_add_task(const struct command *cmd, void *to, char *value)
{
	struct html *html = to;

	if (html->nr_tasks == MOST_CHOSEN)
		return usage_error(cmd, "option --task was given more than %d times", MOST_CHOSEN);
	html->task[html->nr_tasks++] = value;
	return STATUS_OK;
}

int html_add_pid(const struct command *cmd, struct html *html, int pid)
{
	if (!pid)
		return usage_error(cmd, "invalid pid '0': idle tasks are in the lanes of the CPUs");
	if (html->nr_pids == MOST_CHOSEN)
		return usage_error(cmd, "--pid has more than %d tasks: use a wildcard", MOST_CHOSEN);
	html->pid[html->nr_pids++] = pid;
	return STATUS_OK;
}
