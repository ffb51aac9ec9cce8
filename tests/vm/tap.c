// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static int count, failed;

static void result(bool good, const char *format, va_list args)
{
	count++;
	failed += !good;
	printf("%sok %d - ", good ? "" : "not ", count);
	vprintf(format, args);
	putchar('\n');
	fflush(stdout);
}

bool ok(bool good, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	result(good, format, args);
	va_end(args);
	return good;
}

bool is(int64_t got, int64_t wanted, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	result(got == wanted, format, args);
	va_end(args);
	if (got != wanted)
		diag("got %lld, wanted %lld", (long long)got,
		     (long long)wanted);
	return got == wanted;
}

bool is_error(int got, int wanted, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	result(got == wanted, format, args);
	va_end(args);
	if (got != wanted)
		diag("got %s, wanted %s", error_name(got), error_name(wanted));
	return got == wanted;
}

void skip(const char *why, const char *format, ...)
{
	va_list args;

	count++;
	printf("ok %d - ", count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(" # SKIP %s\n", why);
	fflush(stdout);
}

void diag(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

void bail_out(const char *format, ...)
{
	va_list args;

	printf("Bail out! ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	exit(1);
}

int done_testing(void)
{
	printf("1..%d\n", count);
	fflush(stdout);
	return failed ? 1 : 0;
}

const char *error_name(int error)
{
	return error ? strerrorname_np(error) : "success";
}
