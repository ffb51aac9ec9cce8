// SPDX-License-Identifier: LGPL-2.1-only
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"
#include "terminal.h"

/* ---- progress */

#define FIRST	1.0	/* seconds */
#define STEP	0.2

void progress_begin(struct progress *p)
{
	*p = (struct progress){
		.wanted = isatty(STDERR_FILENO),
		.next = now() + FIRST,
	};
}

bool progress_due(struct progress *p)
{
	double time;

	if (!p->wanted)
		return false;
	time = now();
	if (time < p->next)
		return false;
	p->next = time + STEP;
	return true;
}

void progress_show(struct progress *p, const char *format, ...)
{
	va_list args;

	fputc('\r', stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs("\033[K", stderr);
	p->shown = true;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

/* ---- colours */

static bool wanted;

static void read_environment(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	wanted = (!no || !*no) && term && strcmp(term, "dumb") && isatty(STDOUT_FILENO);
}

/* Several threads print a report. */
static bool is_wanted(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_environment);
	return wanted;
}

const char *colour_begin(enum colour colour)
{
	static const char *const begin[] = {
		[COLOUR_NONE] = "",
		[COLOUR_BAD] = "\x1b[31m",
		[COLOUR_WARNING] = "\x1b[33m",
		[COLOUR_HEADING] = "\x1b[1m",
	};

	return is_wanted() ? begin[colour] : "";
}

const char *colour_end(enum colour colour)
{
	return colour != COLOUR_NONE && is_wanted() ? "\x1b[0m" : "";
}
