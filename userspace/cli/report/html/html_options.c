// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>

#include "base/complain.h"
#include "base/units.h"
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

int html_add_pid(const struct command *cmd, void *to, char *value)
{
	struct html *html = to;
	uint64_t pid;

	if (html->nr_pids == MOST_CHOSEN)
		return usage_error(cmd, "option --pid was given more than %d times", MOST_CHOSEN);
	if (!parse_u64(value, &pid) || !pid || pid > INT_MAX)
		return usage_error(cmd, "invalid pid '%s': 1 to %d", value, INT_MAX);
	html->pid[html->nr_pids++] = pid;
	return STATUS_OK;
}
