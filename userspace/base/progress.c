// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "process.h"
#include "progress.h"

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
