// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/complain.h"
#include "base/units.h"
#include "command/command.h"
#include "when.h"

#define NS_PER_SEC	1000000000LL
#define SECONDS_MAX	(INT64_MAX / NS_PER_SEC - 1)

/* Return the seconds of "10m", or -1. */
static double parse_span(const char *text)
{
	static const char units[] = "smhd";
	static const int seconds[] = { 1, 60, 3600, 86400 };
	size_t len = strlen(text);
	const char *unit = len ? strchr(units, text[len - 1]) : NULL;
	char *digits = strndup(text, unit ? len - 1 : len);
	double value = -1;

	if (digits && parse_seconds(digits, &value))
		value *= unit ? seconds[unit - units] : 1;
	else
		value = -1;
	free(digits);
	return value;
}

/* Return the seconds of a date and a time, or of a time of today, or -1. */
static double parse_date(const char *text)
{
	static const char *const formats[] = { "%Y-%m-%dT%T", "%Y-%m-%dT%H.%M.%S", "%F %T", "%F", "%T" };
	time_t today = time(NULL);

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct tm tm = { 0 };
		const char *end;

		if (!strcmp(formats[i], "%T"))
			localtime_r(&today, &tm);
		end = strptime(text, formats[i], &tm);
		tm.tm_isdst = -1;
		if (end && !*end)
			return mktime(&tm);
	}
	return -1;
}

/* Parse "1795771584.5". parse_seconds() has another limit, for spans. */
static double parse_epoch(const char *text)
{
	double seconds;
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	seconds = strtod(text, &end);
	return *end ? -1 : seconds;
}

int set_time(const struct command *cmd, void *to, char *value)
{
	double seconds = -1, span;

	if (*value == '@') {
		seconds = parse_epoch(value + 1);
	} else if (*value == '-') {
		span = parse_span(value + 1);
		seconds = span < 0 ? -1 : time(NULL) - span;
	} else {
		seconds = parse_date(value);
	}
	if (seconds < 0 || seconds > SECONDS_MAX)
		return usage_error(cmd, "invalid time '%s': want 2026-11-26T14:03:12, 14:03:12, @SECONDS or -10m",
				   value);
	*(int64_t *)to = (int64_t)(seconds * NS_PER_SEC);
	return STATUS_OK;
}
