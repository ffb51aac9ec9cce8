// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

bool hangup_is_ignored(void)
{
	struct sigaction act;

	return !sigaction(SIGHUP, NULL, &act) && act.sa_handler == SIG_IGN;
}

double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

void complain(const char *fmt, ...)
{
	char line[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fflush(stdout);
	/* Use one write, so that lines of several threads do not mix. */
	fprintf(stderr, "rbmap: %s\n", line);
}

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
		"saved_cmdlines", "snapshot", "trace",
	};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (!strcmp(name, taken[i]))
			return false;
	if (!strncmp(name, "cpu", 3) && len > 3 &&
	    strspn(name + 3, "0123456789") == len - 3)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] >= 128 ||
		    (!isalnum((unsigned char)name[i]) &&
		     !strchr("-_.", name[i])))
			return false;
	return len && len <= 32 && *name != '.';
}

bool parse_u64(const char *text, uint64_t *value)
{
	char *end;

	/* strtoull() would accept signs and blanks. */
	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && !*end;
}

bool parse_seconds(const char *text, double *value)
{
	static const struct {
		const char *name;
		double seconds;
	} unit[] = { { "", 1 }, { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "m", 60 },
		     { "h", 3600 } };
	size_t i, nr = sizeof(unit) / sizeof(*unit);
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return false;
	errno = 0;
	*value = strtod(text, &end);
	for (i = 0; i < nr && strcmp(end, unit[i].name); i++)
		;
	if (errno || i == nr)
		return false;
	*value *= unit[i].seconds;
	return isfinite(*value) && *value > 0 && *value < 1e9;
}

int finish_stdout(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	complain("cannot write the output: %s", strerror(errno));
	return status == STATUS_OK ? STATUS_ERROR : status;
}
