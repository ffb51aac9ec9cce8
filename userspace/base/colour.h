/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Colours of a terminal, for few words: losses and errors, warnings, headings. Nothing is
 * coloured unless standard output is a terminal, or if NO_COLOR is set or TERM is "dumb".
 */
#ifndef RBMAP_BASE_COLOUR_H
#define RBMAP_BASE_COLOUR_H

#include <stdbool.h>

enum colour { COLOUR_NONE, COLOUR_BAD, COLOUR_WARNING, COLOUR_HEADING };

/* Return the text that begins a colour, and the one that ends it; "" without colours. */
const char *colour_begin(enum colour colour);
const char *colour_end(enum colour colour);

/* Return @colour if @is, or COLOUR_NONE. */
static inline enum colour colour_if(bool is, enum colour colour)
{
	return is ? colour : COLOUR_NONE;
}

#endif /* RBMAP_BASE_COLOUR_H */
