/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse a user's expression for a field of a probe:
 *
 *	[NAME=]ARG[->MEMBER | .MEMBER | [INDEX]]...[:TYPE]
 */
#ifndef RBMAP_LIVE_PROBE_FIELD_EXPR_H
#define RBMAP_LIVE_PROBE_FIELD_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIELD_NAME_MAX	32	/* limit in characters, of the kernel too */
#define EVENT_NAME_MAX	64	/* limit for the name of an event or a group */
#define FIELD_STEPS_MAX	32

/* A part of the parsed text. */
struct word {
	const char *s;
	size_t len;
};

/* arguments for printf's "%.*s" */
#define WORD(w)	(int)(w).len, (w).s

enum field_step_kind { STEP_ARROW, STEP_DOT, STEP_INDEX };

struct field_step {
	enum field_step_kind kind;
	struct word member;	/* for STEP_ARROW and STEP_DOT */
	uint32_t index;		/* for STEP_INDEX */
	size_t at;		/* offset of the step in the text */
};

enum field_kind {
	FIELD_DERIVED,		/* from the declaration of the argument or member */
	FIELD_UNSIGNED,
	FIELD_SIGNED,
	FIELD_HEX,
	FIELD_STRING,
};

struct field_expr {
	const char *text;
	struct word name;	/* empty: not given */
	struct word arg;
	struct field_step step[FIELD_STEPS_MAX];
	unsigned int nr_steps;
	size_t path_end;	/* offset in the text after the last step */
	enum field_kind kind;
	unsigned int bits;	/* size of a number */
	uint32_t count;		/* number of an array's elements; 0: not given */
};

/*
 * Parse @text. @expr points into it afterwards. If it is invalid, return false
 * and store in @error what is wrong, where, and what is valid.
 */
bool field_parse(struct field_expr *expr, const char *text, char *error,
		 size_t size);

/*
 * Return whether the text may name a field, an event or a group of at most @max
 * characters.
 */
bool is_identifier(const char *s, size_t len, size_t max);

#endif /* RBMAP_LIVE_PROBE_FIELD_EXPR_H */
