// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "tap.h"

static bool result(const char *got, const char *wanted, const char *name,
		   va_list args)
{
	bool good = !strcmp(got, wanted);
	char text[256];

	vsnprintf(text, sizeof(text), name, args);
	ok(good, "%s = %s", text, got);
	if (!good)
		diag("wanted %s", wanted);
	return good;
}

bool case_is(int64_t got, int64_t wanted, const char *name, ...)
{
	char got_text[24], wanted_text[24];
	va_list args;
	bool good;

	snprintf(got_text, sizeof(got_text), "%lld", (long long)got);
	snprintf(wanted_text, sizeof(wanted_text), "%lld", (long long)wanted);
	va_start(args, name);
	good = result(got_text, wanted_text, name, args);
	va_end(args);
	return good;
}

static const char *error_word(int error)
{
	return error ? error_name(error) : "works";
}

bool case_error(int got, int wanted, const char *name, ...)
{
	va_list args;
	bool good;

	va_start(args, name);
	good = result(error_word(got), error_word(wanted), name, args);
	va_end(args);
	return good;
}

bool case_ok(bool good, const char *name, ...)
{
	va_list args;

	va_start(args, name);
	result(good ? "yes" : "no", "yes", name, args);
	va_end(args);
	return good;
}

bool case_text(const char *got, const char *wanted, const char *name, ...)
{
	va_list args;
	bool good;

	va_start(args, name);
	good = result(got, wanted, name, args);
	va_end(args);
	return good;
}

void case_not_run(const char *name, ...)
{
	va_list args;

	va_start(args, name);
	result("not run", "not run", name, args);
	va_end(args);
}

const char *signal_word(int signal)
{
	static char word[16];

	if (!signal)
		return "works";
	snprintf(word, sizeof(word), "SIG%s", sigabbrev_np(signal));
	return word;
}
