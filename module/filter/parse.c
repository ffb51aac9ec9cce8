// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compile an expression into a program.
 *
 * Each comparison ends in two open jumps, one for yes and one for no.  A part of an
 * expression has its open jumps in two lists. The lists are threaded through the places
 * that will hold the targets.  The operator "&&" directs the yes jumps of its left side to the
 * next comparison.  The operator "||" directs the no jumps there.  The operator "!"
 * exchanges the lists.  So every jump goes forward.
 *
 * Errors are the same as in tracefs: the refused expressions, the messages, and the
 * positions.
 */
#include "filter.h"

/* The longest string, with its 0, and the longest number: the same as in tracefs. */
#define RBMAP_STRING_MAX	256
#define RBMAP_DIGITS_MAX	24

/* Comparisons have three characters, and two more stand between them. */
#define RBMAP_OP_CHARS		5

#define RBMAP_NO_JUMP		U16_MAX

/* Open jumps: a number is twice that of the comparison, plus 1 for no. */
struct rbmap_jumps {
	u16	first;
	u16	last;
};

struct rbmap_part {
	struct rbmap_jumps	yes;
	struct rbmap_jumps	no;
};

/* Open jumps at a parenthesis: yes of terms with "||", no of factors. */
struct rbmap_level {
	struct rbmap_part	part;
	size_t			at;
	bool			negate;
};

struct rbmap_parser {
	const char		*text;
	size_t			at;
	rbmap_filter_find	find;
	const void		*data;
	struct rbmap_filter	*filter;
	struct rbmap_level	*level;
	unsigned int		depth;
	unsigned int		max_depth;
	struct rbmap_filter_error *error;
};

/* A comparison, while it is read. */
struct rbmap_predicate {
	struct rbmap_filter_field field;
	const char		*compare;
	size_t			base;
	bool			negate;
};

static const char *const rbmap_compares[] = {
	/* The longer one of two that begin alike comes first. */
	"~", "!=", "==", "<=", "<", ">=", ">", "&",
};

static bool rbmap_refuse(struct rbmap_parser *parser, size_t at,
			 const char *message)
{
	size_t len = strlen(parser->text);

	parser->error->message = message;
	parser->error->at = at < len ? at : len;
	return false;
}

/* As the kernel's own isspace() and isalnum(), which know Latin-1. */
static bool rbmap_is_space(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0;
}

static bool rbmap_is_alnum(unsigned char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       (c >= 0xc0 && c != 0xd7 && c != 0xf7);
}

static void rbmap_skip_space(struct rbmap_parser *parser)
{
	while (rbmap_is_space(parser->text[parser->at]))
		parser->at++;
}

static bool rbmap_skip(struct rbmap_parser *parser, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(parser->text + parser->at, word, len))
		return false;
	parser->at += len;
	return true;
}

/* Jumps */

static u16 *rbmap_jump(struct rbmap_parser *parser, u16 jump)
{
	struct rbmap_filter_op *op = &parser->filter->op[jump / 2];

	return jump & 1 ? &op->no : &op->yes;
}

static const struct rbmap_jumps rbmap_no_jumps = {
	RBMAP_NO_JUMP, RBMAP_NO_JUMP
};

static struct rbmap_jumps rbmap_open_jump(struct rbmap_parser *parser, u16 jump)
{
	*rbmap_jump(parser, jump) = RBMAP_NO_JUMP;
	return (struct rbmap_jumps) { jump, jump };
}

static struct rbmap_jumps rbmap_join(struct rbmap_parser *parser,
				     struct rbmap_jumps one,
				     struct rbmap_jumps other)
{
	if (one.first == RBMAP_NO_JUMP)
		return other;
	if (other.first == RBMAP_NO_JUMP)
		return one;
	*rbmap_jump(parser, one.last) = other.first;
	one.last = other.last;
	return one;
}

static void rbmap_direct(struct rbmap_parser *parser, struct rbmap_jumps jumps,
			 u16 target)
{
	u16 jump = jumps.first, *place;

	while (jump != RBMAP_NO_JUMP) {
		place = rbmap_jump(parser, jump);
		jump = *place;
		*place = target;
	}
}

static void rbmap_negate(struct rbmap_part *part)
{
	struct rbmap_jumps yes = part->yes;

	part->yes = part->no;
	part->no = yes;
}

/* Values */

/*
 * A star at one or both ends needs no rbmap_filter_glob().  As in tracefs, the end is
 * the end of the field, and a pattern that begins with a digit has no stars.
 */
static u8 rbmap_pattern_test(const char **pattern, size_t *len)
{
	const char *text = *pattern;
	bool front = *len && text[0] == '*';
	bool back = *len > 1 && text[*len - 1] == '*';
	size_t i;

	if (*len && text[0] >= '0' && text[0] <= '9')
		return RBMAP_TEST_FULL;
	for (i = 0; i < *len; i++) {
		if (strchr("[?\\", text[i]) ||
		    (text[i] == '*' && i && i != *len - 1))
			return RBMAP_TEST_GLOB;
	}
	*pattern += front;
	*len -= front + back;
	if (front)
		return back ? RBMAP_TEST_MIDDLE : RBMAP_TEST_END;
	return back ? RBMAP_TEST_FRONT : RBMAP_TEST_FULL;
}

static void rbmap_add_pattern(struct rbmap_filter *filter,
			      struct rbmap_filter_op *op, const char *pattern,
			      size_t len)
{
	op->pattern = filter->text_len;
	op->pattern_len = len;
	memcpy((char *)rbmap_filter_text(filter) + op->pattern, pattern, len);
	/* A 0 is behind it. */
	filter->text_len += len + 1;
}

static bool rbmap_is_string(const struct rbmap_predicate *predicate)
{
	return predicate->field.kind != RBMAP_FILTER_NUMBER &&
	       predicate->field.kind != RBMAP_FILTER_CPU;
}

static bool rbmap_parse_string(struct rbmap_parser *parser,
			       struct rbmap_predicate *predicate,
			       struct rbmap_filter_op *op)
{
	size_t quote = parser->at, len;
	const char *pattern = parser->text + quote + 1;

	if (!strchr("=!~", predicate->compare[0]))
		return rbmap_refuse(parser, predicate->base + quote,
				    "Illegal operation for field type");
	if (!rbmap_is_string(predicate))
		return rbmap_refuse(parser, predicate->base + quote,
				    "Expecting numeric field");
	len = strcspn(pattern, (char[]) { parser->text[quote], 0 });
	parser->at += len + 1;
	if (!parser->text[parser->at])
		return rbmap_refuse(parser, predicate->base + parser->at,
				    "Missing matching quote");
	if (len >= RBMAP_STRING_MAX)
		return rbmap_refuse(parser, predicate->base + parser->at,
				    "Operand too long");
	parser->at++;
	op->test = RBMAP_TEST_FULL;
	if (predicate->compare[0] == '~') {
		if (len && *pattern == '!') {
			predicate->negate = true;
			pattern++;
			len--;
		}
		op->test = rbmap_pattern_test(&pattern, &len);
	}
	rbmap_add_pattern(parser->filter, op, pattern, len);
	return true;
}

static bool rbmap_parse_number(struct rbmap_parser *parser,
			       struct rbmap_predicate *predicate,
			       struct rbmap_filter_op *op)
{
	size_t from = parser->at;
	u64 value;

	if (rbmap_is_string(predicate))
		return rbmap_refuse(parser, predicate->base + from,
				    "Expecting string field");
	if (predicate->compare[0] == '~')
		return rbmap_refuse(parser, predicate->base + from,
				    "Illegal operation for field type");
	if (parser->text[parser->at] == '-')
		parser->at++;
	while (rbmap_is_alnum(parser->text[parser->at]))
		parser->at++;
	if (parser->at - from >= RBMAP_DIGITS_MAX)
		return rbmap_refuse(parser, predicate->base + parser->at,
				    "Operand too long");
	if (!rbmap_filter_number(parser->text + from, parser->at - from,
				 predicate->field.is_signed, &value))
		return rbmap_refuse(parser, predicate->base + from,
				    "Illegal integer value");
	rbmap_filter_compare(op, predicate->field.is_signed, predicate->compare,
			     value);
	return true;
}

static bool rbmap_parse_value(struct rbmap_parser *parser,
			      struct rbmap_predicate *predicate,
			      struct rbmap_filter_op *op)
{
	char c = parser->text[parser->at];

	if (c == '\'' || c == '"')
		return rbmap_parse_string(parser, predicate, op);
	if (c == '-' || (c >= '0' && c <= '9'))
		return rbmap_parse_number(parser, predicate, op);
	if (!strncmp(parser->text + parser->at, "CPUS", 4))
		return rbmap_refuse(parser, parser->at,
				    "CPUS{} is not supported: compare with numbers");
	return rbmap_refuse(parser, predicate->base + parser->at,
			    "Invalid value (did you forget quotes)?");
}

static bool rbmap_parse_field(struct rbmap_parser *parser,
			      struct rbmap_predicate *predicate)
{
	size_t from = parser->at, len;

	while (rbmap_is_alnum(parser->text[parser->at]) ||
	       parser->text[parser->at] == '_')
		parser->at++;
	len = parser->at - from;
	if (!len)
		return rbmap_refuse(parser, from, "Expecting the name of a field");
	if (!parser->find(parser->data, parser->text + from, len,
			  &predicate->field))
		return rbmap_refuse(parser, predicate->base + parser->at,
				    "Field not found");
	return true;
}

static bool rbmap_parse_compare(struct rbmap_parser *parser,
				struct rbmap_predicate *predicate)
{
	unsigned int i;

	/* ".ustring" marks a pointer of user space; rbmap's records have none. */
	rbmap_skip(parser, ".ustring");
	if (rbmap_skip(parser, ".function"))
		return rbmap_refuse(parser, parser->at,
				    "Functions can't be looked up by a module: compare with addresses");
	rbmap_skip_space(parser);
	for (i = 0; i < ARRAY_SIZE(rbmap_compares); i++) {
		if (!rbmap_skip(parser, rbmap_compares[i]))
			continue;
		predicate->compare = rbmap_compares[i];
		predicate->negate = rbmap_compares[i][0] == '!';
		rbmap_skip_space(parser);
		return true;
	}
	return rbmap_refuse(parser, predicate->base + parser->at,
			    "Invalid operator");
}

/* tracefs points at the character behind the one that it stopped at. */
static bool rbmap_parse_predicate(struct rbmap_parser *parser,
				  struct rbmap_part *part)
{
	struct rbmap_filter *filter = parser->filter;
	struct rbmap_filter_op *op = &filter->op[filter->nr];
	struct rbmap_predicate predicate = { .base = 1 };

	if (!rbmap_parse_field(parser, &predicate) ||
	    !rbmap_parse_compare(parser, &predicate))
		return false;
	op->kind = predicate.field.kind;
	op->offset = predicate.field.offset;
	op->size = predicate.field.size;
	if (!rbmap_parse_value(parser, &predicate, op))
		return false;
	part->yes = rbmap_open_jump(parser, 2 * filter->nr);
	part->no = rbmap_open_jump(parser, 2 * filter->nr + 1);
	filter->nr++;
	/* A comparison that is never true is not true with != either. */
	if (predicate.negate && op->test != RBMAP_TEST_NEVER)
		rbmap_negate(part);
	return true;
}

/* Expressions */

static void rbmap_open_level(struct rbmap_parser *parser, bool negate)
{
	struct rbmap_level *level = &parser->level[parser->depth++];

	level->part.yes = rbmap_no_jumps;
	level->part.no = rbmap_no_jumps;
	level->at = parser->at;
	level->negate = negate;
}

/* A comparison, or what is in parentheses, behind any number of "!". */
static bool rbmap_parse_operand(struct rbmap_parser *parser,
				struct rbmap_part *part)
{
	bool negate = false;
	const char *at;

	for (;; parser->at++) {
		rbmap_skip_space(parser);
		at = parser->text + parser->at;
		if (*at == '(') {
			if (parser->depth == parser->max_depth)
				return rbmap_refuse(parser, parser->at,
						    "Too many '('");
			rbmap_open_level(parser, negate);
			negate = false;
		} else if (*at == '!' && at[1] != '=' && at[1] != '~') {
			negate = !negate;
		} else {
			break;
		}
	}
	if (!*at)
		return rbmap_refuse(parser, parser->at, parser->filter->nr ?
				    "Meaningless filter expression" :
				    "No filter found");
	if (!rbmap_parse_predicate(parser, part))
		return false;
	if (negate)
		rbmap_negate(part);
	return true;
}

/* A factor was read.  If "&&" follows, another factor must come behind it. */
static void rbmap_end_factor(struct rbmap_parser *parser,
			     struct rbmap_part *part, bool more)
{
	struct rbmap_level *level = &parser->level[parser->depth - 1];

	level->part.no = rbmap_join(parser, level->part.no, part->no);
	if (more)
		rbmap_direct(parser, part->yes, parser->filter->nr);
}

/* A term was read.  If "||" follows, another term must come behind it. */
static void rbmap_end_term(struct rbmap_parser *parser, struct rbmap_part *part,
			   bool more)
{
	struct rbmap_level *level = &parser->level[parser->depth - 1];

	rbmap_end_factor(parser, part, false);
	level->part.yes = rbmap_join(parser, level->part.yes, part->yes);
	if (more) {
		rbmap_direct(parser, level->part.no, parser->filter->nr);
		level->part.no = rbmap_no_jumps;
	}
}

static void rbmap_end_level(struct rbmap_parser *parser,
			    struct rbmap_part *part)
{
	struct rbmap_level *level = &parser->level[parser->depth - 1];

	rbmap_end_term(parser, part, false);
	*part = level->part;
	if (level->negate)
		rbmap_negate(part);
	parser->depth--;
}

/* Returns true if another operand follows; false at the end, or after an error. */
static bool rbmap_parse_operator(struct rbmap_parser *parser,
				 struct rbmap_part *part)
{
	for (;; parser->at++) {
		rbmap_skip_space(parser);
		if (rbmap_skip(parser, "&&")) {
			rbmap_end_factor(parser, part, true);
			return true;
		}
		if (rbmap_skip(parser, "||")) {
			rbmap_end_term(parser, part, true);
			return true;
		}
		if (!parser->text[parser->at])
			return false;
		if (parser->text[parser->at] != ')')
			return rbmap_refuse(parser, parser->at,
					    "Too many terms in predicate expression");
		if (parser->depth == 1)
			return rbmap_refuse(parser, parser->at + 1,
					    "Too few '('");
		rbmap_end_level(parser, part);
	}
}

static bool rbmap_parse_expression(struct rbmap_parser *parser)
{
	struct rbmap_part part;

	rbmap_open_level(parser, false);
	do {
		if (!rbmap_parse_operand(parser, &part))
			return false;
	} while (rbmap_parse_operator(parser, &part));
	if (parser->error->message)
		return false;
	if (parser->depth > 1)
		return rbmap_refuse(parser, parser->level[parser->depth - 1].at,
				    "Too many '('");
	rbmap_end_level(parser, &part);
	rbmap_direct(parser, part.yes, parser->filter->nr);
	rbmap_direct(parser, part.no, parser->filter->nr + 1);
	return true;
}

/*
 * Check quotes and parentheses before all else, as tracefs does.  Count the open
 * parentheses, because memory for that many levels is allocated next.
 */
static bool rbmap_scan(struct rbmap_parser *parser)
{
	size_t i, quoted = 0, open = 0;
	char quote = 0;
	bool any = false;

	parser->max_depth = 1;
	for (i = 0; parser->text[i]; i++) {
		char c = parser->text[i];

		if (quote) {
			if (c == quote)
				quote = 0;
			continue;
		}
		if (c == '\'' || c == '"') {
			quote = c;
			quoted = i;
			any = true;
		} else if (c == '(') {
			parser->max_depth++;
			open++;
		} else if (c == ')') {
			if (!open)
				return rbmap_refuse(parser, i, "Too few '('");
			open--;
		} else if (!rbmap_is_space(c)) {
			any = true;
		}
	}
	if (quote)
		return rbmap_refuse(parser, quoted, "Missing matching quote");
	/* The levels below find out which parenthesis is not closed. */
	if (!any && !open)
		return rbmap_refuse(parser, 0, "No filter found");
	return true;
}

/* Report the last parenthesis that is not closed, if there is one. */
static bool rbmap_scan_open(struct rbmap_parser *parser)
{
	unsigned int depth = 0;
	char quote = 0;
	size_t i;

	for (i = 0; parser->text[i]; i++) {
		char c = parser->text[i];

		if (quote) {
			if (c == quote)
				quote = 0;
		} else if (c == '\'' || c == '"') {
			quote = c;
		} else if (c == '(') {
			parser->level[depth++].at = i;
		} else if (c == ')') {
			depth--;
		}
	}
	if (depth)
		return rbmap_refuse(parser, parser->level[depth - 1].at,
				    "Too many '('");
	return true;
}

static struct rbmap_filter *rbmap_filter_room(size_t len)
{
	size_t room = len / RBMAP_OP_CHARS + 1;
	struct rbmap_filter *filter;

	/* All patterns fit into @len bytes: each needs a 0, and leaves out two quotes. */
	filter = rbmap_filter_alloc(sizeof(*filter) +
				    room * sizeof(filter->op[0]) + len);
	if (filter)
		filter->room = room;
	return filter;
}

/**
 * rbmap_filter_parse - compile an expression into a program
 * @text: the expression, shorter than RBMAP_FILTER_TEXT_MAX
 * @find: function that finds a field by its name
 * @data: argument of @find
 * @error: filled with the message and the position of an error
 *
 * Context: may sleep.
 * Return: the program, for rbmap_filter_free(), or NULL.
 */
struct rbmap_filter *rbmap_filter_parse(const char *text,
					rbmap_filter_find find,
					const void *data,
					struct rbmap_filter_error *error)
{
	struct rbmap_parser parser = {
		.text = text, .find = find, .data = data, .error = error,
	};
	size_t len = strlen(text);
	bool done = false;

	error->message = NULL;
	error->at = 0;
	if (len >= RBMAP_FILTER_TEXT_MAX) {
		rbmap_refuse(&parser, 0, "The expression is too long");
		return NULL;
	}
	if (!rbmap_scan(&parser))
		return NULL;
	parser.filter = rbmap_filter_room(len);
	parser.level = rbmap_filter_alloc(parser.max_depth *
					  sizeof(*parser.level));
	if (parser.filter && parser.level)
		done = rbmap_scan_open(&parser) &&
		       rbmap_parse_expression(&parser);
	rbmap_filter_release(parser.level);
	if (done)
		return parser.filter;
	rbmap_filter_free(parser.filter);
	return NULL;
}

/**
 * rbmap_filter_free - free a program
 * @filter: program that no CPU runs any longer; or NULL
 */
void rbmap_filter_free(struct rbmap_filter *filter)
{
	rbmap_filter_release(filter);
}
