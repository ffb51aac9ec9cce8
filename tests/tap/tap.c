// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"

/* Shared memory, so that the results of child processes count, too. */
static struct {
	int	count;
	int	failed;
} *results;

static pid_t program;	/* the process that prints the plan */
static bool done;

/*
 * A program that exits after results without done_testing() has failed, and still prints
 * a plan. Its child processes print none.
 */
static void ended(void)
{
	if (done || getpid() != program || !results->count)
		return;
	ok(false, "the program ended early");
	done_testing();
	_exit(1);
}

__attribute__((constructor)) static void begin(void)
{
	results = mmap(NULL, sizeof(*results), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	program = getpid();
	if (results == MAP_FAILED || atexit(ended))
		abort();
}

/* Print a result in one write, unless the text is very long. */
static void result(bool good, const char *why, const char *format, va_list args)
{
	printf("%sok %d - ", good ? "" : "not ",
	       __atomic_add_fetch(&results->count, 1, __ATOMIC_RELAXED));
	if (!good)
		__atomic_add_fetch(&results->failed, 1, __ATOMIC_RELAXED);
	vprintf(format, args);
	if (why)
		printf(" # SKIP %s", why);
	putchar('\n');
	fflush(stdout);
	if (!good && getenv("TAP_STOP") && getpid() == program)
		exit(done_testing());
}

bool ok(bool good, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	result(good, NULL, format, args);
	va_end(args);
	return good;
}

bool is(int64_t got, int64_t wanted, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	result(got == wanted, NULL, format, args);
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
	result(got == wanted, NULL, format, args);
	va_end(args);
	if (got != wanted)
		diag("got %s, wanted %s", error_name(got), error_name(wanted));
	return got == wanted;
}

void skip(const char *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	result(true, why, format, args);
	va_end(args);
}

/* Signal handlers call this function, so only a long text takes memory from malloc(). */
void diag(const char *format, ...)
{
	char buffer[500], *text = buffer, *rest, *line;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(buffer, sizeof(buffer), format, args);
	va_end(args);
	if (len >= (int)sizeof(buffer)) {
		va_start(args, format);
		if (vasprintf(&text, format, args) < 0)
			text = buffer;
		va_end(args);
	}
	rest = text;
	while ((line = strsep(&rest, "\n")) && (*line || rest))
		printf("# %s\n", line);
	if (text != buffer)
		free(text);
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
	done = true;
	exit(1);
}

int done_testing(void)
{
	printf("1..%d\n", results->count);
	fflush(stdout);
	done = true;
	return results->failed || !results->count;
}

const char *error_name(int error)
{
	return error ? strerrorname_np(error) : "success";
}
