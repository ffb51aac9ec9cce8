// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "help.h"
#include "options.h"

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

int usage_error(const struct command *cmd, const char *fmt, ...)
{
	char line[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	complain("%s: %s (see 'rbmap %s --help')", cmd->name, line, cmd->name);
	return STATUS_USAGE;
}

int next_option(const struct command *cmd, int argc, char **argv,
		const char *shorts, const struct option *longs, int *status)
{
	char spec[64];
	int c;

	/*
	 * With a leading colon getopt_long() tells a missing value from an
	 * unknown option.
	 */
	snprintf(spec, sizeof(spec), "%s:%s%s", *shorts == '+' ? "+" : "",
		 shorts + (*shorts == '+'), "h");
	opterr = 0;
	do {
		c = getopt_long(argc, argv, spec, longs, NULL);
		if (c == 'B') {
			*status = set_buffer(cmd, NULL, optarg);
			if (*status)
				return OPTION_DONE;
		}
	} while (c == 'B');
	switch (c) {
	case 'h':
		print_command_help(cmd);
		*status = STATUS_OK;
		return OPTION_DONE;
	case ':':
		*status = usage_error(cmd, "option '%s' requires a value",
				      argv[optind - 1]);
		return OPTION_DONE;
	case '?':
		if (optopt && isprint(optopt) && optopt < 128 &&
		    strncmp(argv[optind - 1], "--", 2))
			*status = usage_error(cmd, "no option '-%c'", optopt);
		else if (optopt)
			*status = usage_error(cmd, "option '%s' takes no value",
					      argv[optind - 1]);
		else
			*status = usage_error(cmd, "no option '%s'",
					      argv[optind - 1]);
		return OPTION_DONE;
	}
	return c;
}

bool is_buffer_name(const char *name)
{
	static const char *const taken[] = {
		"create", "destroy", "marker", "snapshot",
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
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return false;
	errno = 0;
	*value = strtod(text, &end);
	return !errno && !*end && isfinite(*value) && *value > 0 &&
	       *value < 1e9;
}

int finish_stdout(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	complain("cannot write the output: %s", strerror(errno));
	return status == STATUS_OK ? STATUS_ERROR : status;
}
