/* SPDX-License-Identifier: LGPL-2.1-only */
/* Terminals: a line that shows how far long work has come, and colours. */
#ifndef RBMAP_BASE_TERMINAL_H
#define RBMAP_BASE_TERMINAL_H

#include <stdbool.h>

/* A line that shows how far long work has come */
struct progress {
	bool wanted;
	bool shown;
	double next;		/* when the line is written again, in seconds */
};

/*
 * Begin with work. If standard error is a terminal, the line is written when the work takes more
 * than a second.
 */
void progress_begin(struct progress *p);

/* Return whether the line should be written now: at most five times a second. */
bool progress_due(struct progress *p);

/* Write the line, as printf(). */
void progress_show(struct progress *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Remove the line. Call this before another message. */
void progress_end(struct progress *p);

/*
 * Colours are for few words: losses and errors, warnings, headings. Nothing is
 * coloured unless standard output is a terminal, or if NO_COLOR is set or TERM is "dumb".
 */
enum colour { COLOUR_NONE, COLOUR_BAD, COLOUR_WARNING, COLOUR_HEADING };

/* Return the text that begins a colour, and the one that ends it; "" without colours. */
const char *colour_begin(enum colour colour);
const char *colour_end(enum colour colour);

/* Return @colour if @is, or COLOUR_NONE. */
static inline enum colour colour_if(bool is, enum colour colour)
{
	return is ? colour : COLOUR_NONE;
}

#endif /* RBMAP_BASE_TERMINAL_H */
