/* SPDX-License-Identifier: GPL-2.0-only */
/* Random filter expressions, and their values. */
#ifndef FILTER_GRAMMAR_H
#define FILTER_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAMMAR_NODES	64
#define GRAMMAR_VALUE	48
#define GRAMMAR_TEXT	4096

/* A field of an event, and interesting values to compare it with. */
struct grammar_field {
	const char	*name;
	bool		is_string;
	bool		is_signed;
	unsigned int	size;			/* size of a number; 0: not a number */
	const char	*const *samples;	/* ended by NULL */
};

enum grammar_type { GRAMMAR_LEAF, GRAMMAR_AND, GRAMMAR_OR, GRAMMAR_NOT };

struct grammar_node {
	enum grammar_type	type;
	int			left, right;
	const struct grammar_field *field;
	const char		*compare;
	char			value[GRAMMAR_VALUE];
};

/* An expression; its last node is the root. */
struct grammar {
	const struct grammar_field *fields;
	unsigned int		nr_fields;
	uint64_t		seed;
	struct grammar_node	node[GRAMMAR_NODES];
	int			nr;
};

uint64_t grammar_random(struct grammar *grammar, uint64_t below);
void grammar_make(struct grammar *grammar, int leaves);
void grammar_print(struct grammar *grammar, char *text);
void grammar_damage(struct grammar *grammar, char *text);

typedef bool (*grammar_leaf)(const struct grammar_node *leaf, const void *data);
bool grammar_value(const struct grammar *grammar, grammar_leaf leaf,
		   const void *data);

#endif /* FILTER_GRAMMAR_H */
