/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What users write for a field of a probe:
 *
 *	[NAME=]ARG[->MEMBER | .MEMBER | [INDEX]]...[:TYPE]
 */
#ifndef RBMAP_CLI_FIELD_EXPR_H
#define RBMAP_CLI_FIELD_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIELD_NAME_MAX	32	/* characters, in the kernel too */
#define EVENT_NAME_MAX	64	/* of an event, of a group */
#define FIELD_STEPS_MAX	32

/* Into the text that was parsed. */
struct word {
	const char *s;
	size_t len;
};

/* For printf's "%.*s". */
#define WORD(w)	(int)(w).len, (w).s

enum field_step_kind { STEP_ARROW, STEP_DOT, STEP_INDEX };

struct field_step {
	enum field_step_kind kind;
	struct word member;	/* of STEP_ARROW and STEP_DOT */
	uint32_t index;		/* of STEP_INDEX */
	size_t at;		/* where in the text it begins */
};

enum field_kind {
	FIELD_DERIVED,		/* as the argument or member is declared */
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
	size_t path_end;	/* in the text, behind the last step */
	enum field_kind kind;
	unsigned int bits;	/* of a number */
	uint32_t count;		/* of an array's elements, 0: not given */
};

/*
 * @expr points into @text afterwards.  False: @error says what is wrong with
 * it, where, and what would be right.
 */
bool field_parse(struct field_expr *expr, const char *text, char *error,
		 size_t size);

/* May it be the name of a field, an event, a group, of so many characters? */
bool is_identifier(const char *s, size_t len, size_t max);

#endif /* RBMAP_CLI_FIELD_EXPR_H */
