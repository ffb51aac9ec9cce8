// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "command.h"

/* The command reads this line of this file of settings. NULL: it reads its arguments. */
static const char *settings_path;
static unsigned int settings_line;

void usage_errors_at(const char *path, unsigned int line)
{
	settings_path = path;
	settings_line = line;
}

int usage_error(const struct command *cmd, const char *fmt, ...)
{
	char line[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (settings_path)
		complain("%s:%u: %s (see 'rbmap %s --help')", settings_path, settings_line,
			 line, cmd->name);
	else
		complain("%s: %s (see 'rbmap %s --help')", cmd->name, line, cmd->name);
	return STATUS_USAGE;
}

bool is_buffer_name(const char *name)
{
	static const char *const taken[] = {
		"control", "create", "destroy", "error_log", "marker", "marker_raw",
		"per_cpu", "saved_cmdlines", "snapshot", "trace", "trace_pipe",
	};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (!strcmp(name, taken[i]))
			return false;
	if (!strncmp(name, "cpu", 3) && isdigit((unsigned char)name[3]))
		return false;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] >= 128 ||
		    (!isalnum((unsigned char)name[i]) &&
		     !strchr("-_.", name[i])))
			return false;
	return len && len <= 32 && *name != '.';
}
