// SPDX-License-Identifier: GPL-2.0-only
/* Random filter expressions, and their values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter_grammar.h"

static const char *const number_compares[] = {
	"==", "!=", "<", "<=", ">", ">=", "&",
};

static const char *const string_compares[] = { "==", "!=", "~", "~", "~" };

/* xorshift64* */
uint64_t grammar_random(struct grammar *grammar, uint64_t below)
{
	grammar->seed ^= grammar->seed >> 12;
	grammar->seed ^= grammar->seed << 25;
	grammar->seed ^= grammar->seed >> 27;
	return (grammar->seed * 0x2545f4914f6cdd1dull >> 11) % below;
}

static const char *sample(struct grammar *g, const struct grammar_field *field)
{
	unsigned int nr = 0;

	while (field->samples[nr])
		nr++;
	return field->samples[grammar_random(g, nr)];
}

/* A sample, a neighbour of it, or a limit of the type, in any base. */
static void make_number(struct grammar *g, struct grammar_node *leaf)
{
	const struct grammar_field *field = leaf->field;
	unsigned int bits = field->size ? 8 * field->size : 32;
	int64_t value = strtoll(sample(g, field), NULL, 0);

	switch (grammar_random(g, 8)) {
	case 0:
		value += 1 - 2 * (int64_t)grammar_random(g, 2);
		break;
	case 1:
		value = 1ull << grammar_random(g, bits);
		break;
	case 2:
		value = (1ull << (bits - 1)) - grammar_random(g, 2);
		break;
	case 3:
		value = grammar_random(g, 4) - 2;
		break;
	}
	if (field->is_signed && value < 0)
		snprintf(leaf->value, sizeof(leaf->value),
			 grammar_random(g, 2) ? "-%llu" : "-0x%llx",
			 -(unsigned long long)value);
	else
		snprintf(leaf->value, sizeof(leaf->value),
			 (const char *[]) { "%llu", "0x%llx", "0%llo",
					    "0X%llX" }[grammar_random(g, 4)],
			 (unsigned long long)value);
}

/*
 * A sample with parts replaced by elements of patterns.  A backslash does not occur in
 * brackets, because fnmatch(3) treats it differently.
 */
static void make_pattern(struct grammar *g, char *value, const char *from)
{
	static const char classes[][8] = {
		"[a-z]", "[!a-z]", "[0-9]", "[!0]", "[]a]", "[a", "[/ks]",
	};
	size_t len = 0, at, cut;

	if (!grammar_random(g, 12))
		value[len++] = '!';
	for (at = 0; from[at] && len < GRAMMAR_VALUE - 12; at++) {
		switch (grammar_random(g, 14)) {
		case 0:
			value[len++] = '*';
			/* The star often replaces all up to the end. */
			cut = grammar_random(g, strlen(from + at) + 2);
			at += cut < strlen(from + at) ? cut :
							strlen(from + at) - 1;
			break;
		case 1:
			value[len++] = '?';
			break;
		case 2:
			len += sprintf(value + len, "%s",
				       classes[grammar_random(g, 7)]);
			break;
		case 3:
			if (!memchr(value, '[', len))
				value[len++] = '\\';
			value[len++] = from[at];
			break;
		default:
			value[len++] = from[at];
		}
	}
	if (!grammar_random(g, 3))
		value[len++] = '*';
	value[len] = 0;
	if (!grammar_random(g, 4)) {
		memmove(value + 1, value, len + 1);
		value[0] = '*';
	}
}

static void make_leaf(struct grammar *g, struct grammar_node *leaf)
{
	leaf->type = GRAMMAR_LEAF;
	leaf->field = &g->fields[grammar_random(g, g->nr_fields)];
	if (!leaf->field->is_string) {
		leaf->compare = number_compares[grammar_random(g, 7)];
		make_number(g, leaf);
		return;
	}
	leaf->compare = string_compares[grammar_random(g, 5)];
	if (leaf->compare[0] == '~')
		make_pattern(g, leaf->value, sample(g, leaf->field));
	else
		snprintf(leaf->value, sizeof(leaf->value), "%s",
			 sample(g, leaf->field));
}

static int make_tree(struct grammar *g, int leaves)
{
	struct grammar_node *node;
	int left, right = -1;
	enum grammar_type type;

	if (grammar_random(g, 5) == 0 && g->nr < GRAMMAR_NODES / 2) {
		left = make_tree(g, leaves);
		type = GRAMMAR_NOT;
	} else if (leaves > 1) {
		int split = 1 + grammar_random(g, leaves - 1);

		left = make_tree(g, split);
		right = make_tree(g, leaves - split);
		type = grammar_random(g, 2) ? GRAMMAR_AND : GRAMMAR_OR;
	} else {
		make_leaf(g, &g->node[g->nr]);
		return g->nr++;
	}
	node = &g->node[g->nr];
	node->type = type;
	node->left = left;
	node->right = right;
	return g->nr++;
}

/* Make an expression of at most GRAMMAR_NODES / 4 comparisons. */
void grammar_make(struct grammar *grammar, int leaves)
{
	grammar->nr = 0;
	make_tree(grammar, leaves);
}

static void put(char **at, const char *word)
{
	*at += sprintf(*at, "%s", word);
}

static void put_space(struct grammar *g, char **at)
{
	if (grammar_random(g, 3))
		put(at, grammar_random(g, 8) ? " " : "\t ");
}

static void print_leaf(struct grammar *g, const struct grammar_node *leaf,
		       char **at)
{
	const char *quote = strchr(leaf->value, '"') ? "'" :
			    strchr(leaf->value, '\'') ? "\"" :
			    grammar_random(g, 2) ? "\"" : "'";

	put(at, leaf->field->name);
	put_space(g, at);
	put(at, leaf->compare);
	put_space(g, at);
	if (leaf->field->is_string)
		put(at, quote);
	put(at, leaf->value);
	if (leaf->field->is_string)
		put(at, quote);
}

/* @level: 2 after "!", 1 in "&&", 0 elsewhere; decides on parentheses */
static void print_node(struct grammar *g, int which, int level, char **at)
{
	const struct grammar_node *node = &g->node[which];
	bool parens = (node->type == GRAMMAR_OR && level > 0) ||
		      (node->type == GRAMMAR_AND && level > 1) ||
		      !grammar_random(g, 6);

	put_space(g, at);
	if (parens) {
		put(at, "(");
		put_space(g, at);
		level = 0;
	}
	switch (node->type) {
	case GRAMMAR_LEAF:
		print_leaf(g, node, at);
		break;
	case GRAMMAR_NOT:
		put(at, "!");
		print_node(g, node->left, 2, at);
		break;
	default:
		level = node->type == GRAMMAR_AND;
		print_node(g, node->left, level, at);
		put_space(g, at);
		put(at, level ? "&&" : "||");
		print_node(g, node->right, level, at);
	}
	if (parens) {
		put_space(g, at);
		put(at, ")");
	}
}

/* @text has room for GRAMMAR_TEXT bytes. */
void grammar_print(struct grammar *grammar, char *text)
{
	print_node(grammar, grammar->nr - 1, 0, &text);
}

/* Remove, add or change one or two characters. */
void grammar_damage(struct grammar *grammar, char *text)
{
	static const char some[] = "!&|()=<>~'\" *az0x9-_.[\\+8";
	int times = 1 + grammar_random(grammar, 2);

	while (times--) {
		size_t len = strlen(text), at = grammar_random(grammar, len + 1);
		char c = some[grammar_random(grammar, sizeof(some) - 1)];

		switch (grammar_random(grammar, 3)) {
		case 0:
			memmove(text + at, text + at + (at < len),
				len + 1 - at - (at < len));
			break;
		case 1:
			memmove(text + at + 1, text + at, len + 1 - at);
			text[at] = c;
			break;
		default:
			if (at < len)
				text[at] = c;
		}
	}
}

static bool node_value(const struct grammar *g, int which, grammar_leaf leaf,
		       const void *data)
{
	const struct grammar_node *node = &g->node[which];

	switch (node->type) {
	case GRAMMAR_LEAF:
		return leaf(node, data);
	case GRAMMAR_NOT:
		return !node_value(g, node->left, leaf, data);
	case GRAMMAR_AND:
		return node_value(g, node->left, leaf, data) &&
		       node_value(g, node->right, leaf, data);
	default:
		return node_value(g, node->left, leaf, data) ||
		       node_value(g, node->right, leaf, data);
	}
}

/* Return: value of the expression; @leaf evaluates comparisons. */
bool grammar_value(const struct grammar *grammar, grammar_leaf leaf,
		   const void *data)
{
	return node_value(grammar, grammar->nr - 1, leaf, data);
}
