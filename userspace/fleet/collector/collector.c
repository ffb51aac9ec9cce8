// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/complain.h"
#include "base/process.h"
#include "collector.h"
#include "command/service.h"

#define REPORT_SECONDS	60

int64_t collector_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

void collector_report(struct collector *c, const char *fmt, ...)
{
	char text[sizeof(c->present_error)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	c->failed = true;
	/* Report one error: a full disk causes two, one of a file and one of the index. */
	if (*c->present_error && now() < c->next_report)
		return;
	c->next_report = now() + REPORT_SECONDS;
	memcpy(c->present_error, text, sizeof(text));
	complain("%s", text);
	service_status(text);
}

void collector_works(struct collector *c)
{
	if (!*c->present_error)
		return;
	*c->present_error = '\0';
	complain("note: messages are collected again");
	service_status("collecting");
}
