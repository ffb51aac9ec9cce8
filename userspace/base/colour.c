// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "colour.h"

static bool wanted;

static void look(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	wanted = (!no || !*no) && term && strcmp(term, "dumb") && isatty(STDOUT_FILENO);
}

/* Several threads print a report. */
static bool is_wanted(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, look);
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
