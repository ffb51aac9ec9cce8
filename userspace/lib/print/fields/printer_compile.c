// SPDX-License-Identifier: LGPL-2.1-only
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "base/array.h"
#include "base/printable.h"
#include "fields.h"
#include "printer.h"
#include "printer_parts.h"

#define WIDTH_MAX	4096

static void free_string(struct string *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < s->nr_values; i++)
		free(s->value[i].name);
	free(s->value);
	free(s->text);
	expression_free(s->number);
	free_string(s->choice[0]);
	free_string(s->choice[1]);
	free(s);
}

void printer_free(struct printer *printer)
{
	if (!printer)
		return;
	for (unsigned int i = 0; i < printer->nr_pieces; i++) {
		free(printer->piece[i].text);
		expression_free(printer->piece[i].number);
		free_string(printer->piece[i].string);
	}
	free(printer->piece);
	free(printer);
}

/* ---- compile strings */

#define STRING_DEPTH	16

static struct string *compile_string(struct tep_event *event,
				     const struct tep_print_arg *arg, uint32_t *need,
				     unsigned int depth);

static bool set_text(struct string *s, const char *text)
{
	s->text = strdup(text ? text : "");
	if (!s->text)
		return false;
	s->size = strlen(s->text);
	return true;
}

static bool set_number(struct string *s, struct tep_event *event,
		       const struct tep_print_arg *arg, uint32_t *need)
{
	s->number = expression_compile(event, arg, need);
	return s->number;
}

/*
 * Store the value of a flag or symbol. A name that the format does not define is -1 for
 * libtraceevent, except for some names that it knows.
 */
static bool parse_value(const char *text, uint64_t *value)
{
	size_t len = strlen(text);

	*value = UINT64_MAX;
	if (isdigit((unsigned char)*text))
		*value = strtoull(text, NULL, 0);
	return !(len > 8 && !strcmp(text + len - 8, "_SOFTIRQ")) &&
	       !(len > 8 && !strcmp(text + len - 8, "_RESTART")) &&
	       strcmp(text, "HRTIMER_NORESTART");
}

static bool set_values(struct string *s, const struct tep_print_flag_sym *from)
{
	const struct tep_print_flag_sym *f;
	unsigned int nr = 0;

	for (f = from; f; f = f->next)
		nr++;
	s->value = calloc(nr + 1, sizeof(*s->value));
	if (!s->value)
		return false;
	for (f = from; f; f = f->next) {
		struct named_value *v = &s->value[s->nr_values];

		if (!f->value || !parse_value(f->value, &v->value))
			return false;
		v->name = strdup(f->str ? f->str : "");
		if (!v->name)
			return false;
		s->nr_values++;
	}
	return true;
}

static bool set_field(struct string *s, struct tep_event *event,
		      const struct tep_print_arg *arg, uint32_t *need)
{
	const struct tep_format_field *field;

	field = arg->field.field;
	if (!field)
		field = tep_find_any_field(event, arg->field.name);
	if (!field || (field->size && !field_is_fixed(field)) || field->offset < 0 ||
	    field->offset > UINT16_MAX)
		return false;
	if (field->flags & TEP_FIELD_IS_ARRAY) {
		s->kind = FIXED;
		s->offset = field->offset;
		s->size = field->size;
		if (*need < s->offset + s->size)
			*need = s->offset + s->size;
		return !(field->flags & TEP_FIELD_IS_DYNAMIC);
	}
	/* libtraceevent prints a pointer as a number. */
	s->kind = ADDRESS;
	return field->size == 8 && set_number(s, event, arg, need);
}

static bool set_dynamic(struct string *s, struct tep_event *event,
			const struct tep_print_arg *arg, uint32_t *need)
{
	const struct tep_format_field *field;

	field = field_of(event, arg->string.string, arg->string.field);
	if (!field || field->size != 4)
		return false;
	s->kind = DYNAMIC;
	s->offset = field->offset;
	s->relative = field->flags & TEP_FIELD_IS_RELATIVE;
	if (*need < s->offset + 4)
		*need = s->offset + 4;
	return true;
}

static bool set_choice(struct string *s, struct tep_event *event,
		       const struct tep_print_arg *arg, uint32_t *need,
		       unsigned int depth)
{
	const struct tep_print_arg *right = arg->op.right;

	if (strcmp(arg->op.op, "?") || !right || right->type != TEP_PRINT_OP)
		return false;
	s->kind = CHOICE;
	s->choice[0] = compile_string(event, right->op.left, need, depth + 1);
	s->choice[1] = compile_string(event, right->op.right, need, depth + 1);
	return s->choice[0] && s->choice[1] &&
	       set_number(s, event, arg->op.left, need);
}

static bool fill_string(struct string *s, struct tep_event *event,
			const struct tep_print_arg *arg, uint32_t *need,
			unsigned int depth)
{
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		return set_text(s, arg->atom.atom);
	case TEP_PRINT_BSTRING:
		return set_text(s, arg->string.string);
	case TEP_PRINT_FIELD:
		return set_field(s, event, arg, need);
	case TEP_PRINT_STRING:
		return set_dynamic(s, event, arg, need);
	case TEP_PRINT_FLAGS:
		s->kind = FLAGS;
		return set_text(s, arg->flags.delim) &&
		       set_number(s, event, arg->flags.field, need) &&
		       set_values(s, arg->flags.flags);
	case TEP_PRINT_SYMBOL:
		s->kind = SYMBOL;
		return set_number(s, event, arg->symbol.field, need) &&
		       set_values(s, arg->symbol.symbols);
	case TEP_PRINT_OP:
		return set_choice(s, event, arg, need, depth);
	default:
		return false;
	}
}

static struct string *compile_string(struct tep_event *event,
				     const struct tep_print_arg *arg, uint32_t *need,
				     unsigned int depth)
{
	struct string *s;

	if (!arg || depth == STRING_DEPTH)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (s && !fill_string(s, event, arg, need, depth)) {
		free_string(s);
		return NULL;
	}
	return s;
}

/* ---- compile a format */

struct compiler {
	struct tep_event *event;
	struct printer *printer;
	const char *at;			/* rest of the format */
	const struct tep_print_arg *arg;	/* argument of the next conversion */
};

struct piece *printer_add_piece(struct printer *printer, enum piece_kind kind)
{
	struct piece *more;

	if (!array_grow(printer->piece, printer->nr_pieces))
		return NULL;
	more = &printer->piece[printer->nr_pieces++];
	*more = (struct piece){ .kind = kind, .precision = SIZE_MAX };
	return more;
}

static bool compile_literal(struct compiler *c)
{
	struct piece *piece = printer_add_piece(c->printer, LITERAL);
	char *to;

	if (!piece)
		return false;
	to = piece->text = malloc(strlen(c->at) + 1);
	if (!to)
		return false;
	while (*c->at && (*c->at != '%' || c->at[1] == '%')) {
		if (*c->at == '%') {
			c->at++;
		} else if (*c->at == '\\') {
			c->at++;
			if (!*c->at)
				return false;
			*to++ = escaped(*c->at++);
			continue;
		}
		*to++ = *c->at++;
	}
	piece->size = to - piece->text;
	return true;
}

/* Parse "-#0" and "12" and ".3" and "ll". */
static bool parse_modifiers(struct compiler *c, struct piece *piece, int *longs)
{
	char *end;

	for (; strchr("-#0", *c->at) && *c->at; c->at++) {
		piece->left |= *c->at == '-';
		piece->prefix |= *c->at == '#';
		piece->zeros |= *c->at == '0';
	}
	piece->width = strtoul(c->at, &end, 10);
	if (end != c->at && !isdigit((unsigned char)*c->at))
		return false;
	if (piece->width > WIDTH_MAX)
		return false;
	c->at = end;
	if (*c->at == '.') {
		if (!isdigit((unsigned char)c->at[1]))
			return false;
		piece->precision = strtoul(c->at + 1, &end, 10);
		c->at = end;
	}
	for (;; c->at++) {
		if (*c->at == 'h')
			--*longs;
		else if (*c->at == 'l')
			++*longs;
		else if (*c->at == 'L' || *c->at == 'z')
			*longs = *c->at == 'L' ? 2 : 1;
		else
			return true;
	}
}

static bool compile_number(struct compiler *c, struct piece *piece, int longs,
			   char conversion)
{
	/* Digits have a precision of their own. */
	if (longs < -2 || longs > 2 || piece->precision != SIZE_MAX)
		return false;
	piece->kind = conversion == 'u' ? UNSIGNED : tolower(conversion) == 'x' ? HEX :
		      DECIMAL;
	piece->upper = conversion == 'X';
	piece->bits = longs > 0 ? 64 : longs == 0 ? 32 : longs == -1 ? 16 : 8;
	piece->number = expression_compile(c->event, c->arg, &c->printer->need);
	return piece->number;
}

static bool compile_pointer(struct compiler *c, struct piece *piece)
{
	char extension = *c->at;

	piece->kind = POINTER;
	if (extension && strchr("FfSs", extension)) {
		piece->kind = FUNCTION;
		piece->with_offset = extension == 'F' || extension == 'S';
		c->at++;
	} else if (isalnum((unsigned char)extension)) {
		return false;
	}
	piece->number = expression_compile(c->event, c->arg, &c->printer->need);
	return piece->number;
}

static bool compile_conversion(struct compiler *c)
{
	struct piece *piece = printer_add_piece(c->printer, STRING);
	int longs = 0;
	bool ok;

	c->at++;
	if (!piece || !c->arg || !parse_modifiers(c, piece, &longs))
		return false;
	switch (*c->at++) {
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
		ok = compile_number(c, piece, longs, c->at[-1]);
		break;
	case 'p':
		ok = compile_pointer(c, piece);
		break;
	case 's':
		piece->string = compile_string(c->event, c->arg, &c->printer->need, 0);
		ok = piece->string && !longs && !piece->zeros;
		break;
	default:
		ok = false;
	}
	c->arg = c->arg->next;
	return ok;
}

static bool has_own_printer(const struct tep_event *event)
{
	return event->flags & (TEP_EVENT_FL_FAILED | TEP_EVENT_FL_ISBPRINT |
			       TEP_EVENT_FL_ISFTRACE | TEP_EVENT_FL_PRINTRAW);
}

static bool compile_format(struct compiler *c)
{
	bool ok = true;

	while (ok && *c->at)
		ok = *c->at == '%' && c->at[1] != '%' ? compile_conversion(c) :
							compile_literal(c);
	return ok;
}

static bool compile(struct compiler *c)
{
	bool then_format = true;

	return (!c->event->handler ||
		plugin_printer_compile(c->event, c->printer, &then_format)) &&
	       (!then_format || compile_format(c));
}

static bool is_plain(const struct piece *piece)
{
	switch (piece->kind) {
	case LITERAL:
		return is_printable(piece->text, piece->size);
	case DECIMAL:
	case UNSIGNED:
	case HEX:
	case POINTER:
		return true;
	default:
		return false;
	}
}

static bool all_are_plain(const struct printer *printer)
{
	for (unsigned int i = 0; i < printer->nr_pieces; i++)
		if (!is_plain(&printer->piece[i]))
			return false;
	return true;
}

struct printer *printer_compile(struct tep_event *event)
{
	struct compiler c = {
		.event = event,
		.at = event->print_fmt.format,
		.arg = event->print_fmt.args,
	};

	if (!c.at || has_own_printer(event))
		return NULL;
	c.printer = calloc(1, sizeof(*c.printer));
	if (!c.printer)
		return NULL;
	if (compile(&c)) {
		c.printer->is_plain = all_are_plain(c.printer);
		return c.printer;
	}
	printer_free(c.printer);
	return NULL;
}
