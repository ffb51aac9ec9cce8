/* SPDX-License-Identifier: GPL-2.0-only */
/* A line on a terminal that shows how far long work has come. */
#ifndef RBMAP_BASE_PROGRESS_H
#define RBMAP_BASE_PROGRESS_H

#include <stdbool.h>

struct progress {
	bool wanted;
	bool shown;
	double next;		/* when the line is written again, in seconds */
};

/*
 * Begin with work. A line is wanted if standard error is a terminal, from a second on.
 */
void progress_begin(struct progress *p);

/* Return whether the line should be written now: at most five times a second. */
bool progress_due(struct progress *p);

/* Write the line, as printf(). */
void progress_show(struct progress *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Remove the line. Call this before another message. */
void progress_end(struct progress *p);

#endif /* RBMAP_BASE_PROGRESS_H */
