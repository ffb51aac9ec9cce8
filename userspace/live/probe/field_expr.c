// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field_expr.h"

struct parser {
	struct field_expr *expr;
	const char *p;
	char *error;
	size_t size;
};

__attribute__((format(printf, 2, 3)))
static bool refuse(struct parser *parser, const char *fmt, ...)
{
	size_t at = parser->p - parser->expr->text, used;
	va_list ap;

	used = snprintf(parser->error, parser->size, "'%s', character %zu: ",
			parser->expr->text, at + 1);
	if (used < parser->size) {
		va_start(ap, fmt);
		vsnprintf(parser->error + used, parser->size - used, fmt, ap);
		va_end(ap);
	}
	return false;
}

static bool begins_word(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static struct word take_word(struct parser *parser)
{
	struct word word = { .s = parser->p };

	if (begins_word(*parser->p))
		while (isalnum((unsigned char)parser->p[word.len]) ||
		       parser->p[word.len] == '_')
			word.len++;
	parser->p += word.len;
	return word;
}

bool is_identifier(const char *s, size_t len, size_t max)
{
	if (!len || len > max || !begins_word(*s))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	return true;
}

/* Parse a decimal or hexadecimal number. */
static bool take_number(struct parser *parser, uint32_t *number)
{
	bool hex = parser->p[0] == '0' && (parser->p[1] | 0x20) == 'x';
	const char *digits = parser->p + (hex ? 2 : 0);
	unsigned long long value;
	char *end;

	if (!(hex ? isxdigit((unsigned char)*digits) :
		    isdigit((unsigned char)*digits)))
		return refuse(parser, "a number between [ and ] is missing");
	/* If the number is too large, strtoull() returns ULLONG_MAX. */
	value = strtoull(digits, &end, hex ? 16 : 10);
	if (value > INT32_MAX)
		return refuse(parser, "the number is too large");
	*number = value;
	parser->p = end;
	return true;
}

static bool take_index(struct parser *parser, uint32_t *number)
{
	parser->p++;
	if (!take_number(parser, number))
		return false;
	if (*parser->p != ']')
		return refuse(parser, "a ']' is missing");
	parser->p++;
	return true;
}

static bool parse_name(struct parser *parser)
{
	struct field_expr *expr = parser->expr;
	const char *start = parser->p;
	struct word word = take_word(parser);

	if (*parser->p != '=' || !word.len) {
		parser->p = start;
		return true;
	}
	if (!is_identifier(word.s, word.len, FIELD_NAME_MAX)) {
		parser->p = start;
		return refuse(parser, "a field's name has at most %d characters",
			      FIELD_NAME_MAX);
	}
	expr->name = word;
	parser->p++;
	return true;
}

static bool parse_arg(struct parser *parser)
{
	const char *start = parser->p;

	/* Accept $arg1, too: the kernel uses that spelling. */
	parser->p += *start == '$';
	parser->expr->arg = take_word(parser);
	if (parser->expr->arg.len)
		return true;
	parser->p = start;
	return refuse(parser, "an argument of the tracepoint is missing: [NAME=]ARG[->MEMBER|.MEMBER|[INDEX]]...[:TYPE]");
}

static bool parse_step(struct parser *parser)
{
	struct field_expr *expr = parser->expr;
	struct field_step *step = &expr->step[expr->nr_steps];

	if (expr->nr_steps == FIELD_STEPS_MAX)
		return refuse(parser, "more than %d steps", FIELD_STEPS_MAX);
	step->at = parser->p - expr->text;
	expr->nr_steps++;
	if (*parser->p == '[') {
		step->kind = STEP_INDEX;
		return take_index(parser, &step->index);
	}
	step->kind = *parser->p == '.' ? STEP_DOT : STEP_ARROW;
	parser->p += step->kind == STEP_DOT ? 1 : 2;
	step->member = take_word(parser);
	return step->member.len || refuse(parser, "the name of a member is missing");
}

static bool is_step(const char *p)
{
	return *p == '.' || *p == '[' || (p[0] == '-' && p[1] == '>');
}

#define TYPES	"use u8 to u64, s8 to s64, x8 to x64 (hexadecimal), each with [COUNT], or string"

static bool parse_type(struct parser *parser)
{
	struct field_expr *expr = parser->expr;
	const char *start = parser->p;
	struct word word = take_word(parser);

	if (word.len == 6 && !strncmp(word.s, "string", 6)) {
		expr->kind = FIELD_STRING;
		return true;
	}
	parser->p = start;
	switch (*word.s) {
	case 'u':
		expr->kind = FIELD_UNSIGNED;
		break;
	case 's':
		expr->kind = FIELD_SIGNED;
		break;
	case 'x':
		expr->kind = FIELD_HEX;
		break;
	default:
		return refuse(parser, "unknown type: " TYPES);
	}
	for (expr->bits = 8; expr->bits <= 64; expr->bits *= 2) {
		char bits[12];

		snprintf(bits, sizeof(bits), "%u", expr->bits);
		if (word.len == 1 + strlen(bits) &&
		    !strncmp(word.s + 1, bits, word.len - 1))
			break;
	}
	if (expr->bits > 64)
		return refuse(parser, "unknown type: " TYPES);
	parser->p += word.len;
	if (*parser->p != '[')
		return true;
	if (!take_index(parser, &expr->count))
		return false;
	if (!expr->count)
		return refuse(parser, "an array has at least one element");
	return true;
}

bool field_parse(struct field_expr *expr, const char *text, char *error,
		 size_t size)
{
	struct parser parser = {
		.expr = expr, .p = text, .error = error, .size = size,
	};

	*expr = (struct field_expr){ .text = text };
	if (!parse_name(&parser) || !parse_arg(&parser))
		return false;
	while (is_step(parser.p))
		if (!parse_step(&parser))
			return false;
	expr->path_end = parser.p - text;
	if (*parser.p == ':') {
		parser.p++;
		if (!parse_type(&parser))
			return false;
	}
	if (*parser.p)
		return refuse(&parser, "unexpected characters: a field is [NAME=]ARG[->MEMBER|.MEMBER|[INDEX]]...[:TYPE]");
	return true;
}
