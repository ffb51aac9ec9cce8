// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "backoff.h"
#include "base/complain.h"
#include "clocks.h"

#define SECOND	1000000000ULL
#define LONGEST	(60 * SECOND)

/* Hosts that lost their engine together do not come back together. */
static uint64_t with_jitter(uint64_t delay)
{
	uint32_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = (uint32_t)clock_monotonic();
	return delay / 2 + (uint64_t)((double)delay / 2 * random / UINT32_MAX);
}

void backoff_failed(struct backoff *t, const char *fmt, ...)
{
	bool is_new = !*t->text;
	va_list args;

	va_start(args, fmt);
	vsnprintf(t->text, sizeof(t->text), fmt, args);
	va_end(args);
	if (!*t->text)
		strcpy(t->text, "unknown error");
	if (is_new)
		complain("%s", t->text);
	t->delay = is_new ? SECOND : 2 * t->delay < LONGEST ? 2 * t->delay : LONGEST;
	t->retry = clock_monotonic() + with_jitter(t->delay);
}

bool backoff_over(struct backoff *t, const char *what)
{
	if (!*t->text)
		return false;
	complain("note: %s works again", what);
	*t = (struct backoff){ 0 };
	return true;
}

bool backoff_due(const struct backoff *t)
{
	return !*t->text || clock_monotonic() >= t->retry;
}

bool backoff_is_long(const struct backoff *t)
{
	return *t->text && t->delay == LONGEST;
}
