// SPDX-License-Identifier: LGPL-2.1-only
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "expression.h"
#include "fields.h"
#include "format_check.h"

#define WIDTH_DIGITS	3	/* the most digits of a width or a precision */
#define DEPTH_MAX	64

/* @nr, @size: number of elements and bytes of one; NULL: 1 */
struct array_lengths {
	struct array_lengths *next;
	struct expression *nr;
	struct expression *size;
};

struct walk {
	struct tep_event *event;
	struct array_lengths *lengths;
	uint32_t need;
	unsigned int depth;
};

static bool are_sane(const struct tep_format_field *f)
{
	for (; f; f = f->next)
		if (f->offset < 0 || f->size < 0 || f->offset > OFFSET_MAX ||
		    f->size > OFFSET_MAX)
			return false;
	return true;
}

bool format_has_sane_fields(const struct tep_event *event)
{
	return are_sane(event->format.common_fields) && are_sane(event->format.fields);
}

/* ---- widths */

static const char *skip_number(const char *at, bool *sane)
{
	const char *begin = at;

	while (isdigit((unsigned char)*at))
		at++;
	if (at - begin > WIDTH_DIGITS)
		*sane = false;
	return at;
}

/*
 * "*" takes the width from the record. Strings are not padded by a precision, and "%*p"
 * is the kernel's: its extensions take the number of bytes or bits.
 */
static bool is_sane_conversion(const char **format)
{
	bool star_width = false, star_precision = false, sane = true;
	const char *at = *format;

	at += strspn(at, "-+ #0");
	if (*at == '*') {
		star_width = true;
		at++;
	} else {
		at = skip_number(at, &sane);
	}
	if (*at == '.') {
		at++;
		if (*at == '*') {
			star_precision = true;
			at++;
		} else {
			at = skip_number(at, &sane);
		}
	}
	at += strspn(at, "hlLzjt");
	if ((star_width && *at != 'p') || (star_precision && *at != 's' && *at != 'p'))
		sane = false;
	*format = at;
	return sane;
}

static bool widths_are_sane(const char *format)
{
	while (format && (format = strchr(format, '%'))) {
		format++;
		if (*format == '%')
			format++;
		else if (!is_sane_conversion(&format))
			return false;
	}
	return true;
}

/* ---- lengths */

static bool add_lengths(struct walk *w, const struct tep_print_arg *nr,
			const struct tep_print_arg *size)
{
	struct array_lengths *lengths = calloc(1, sizeof(*lengths));

	if (!lengths)
		return false;
	lengths->next = w->lengths;
	w->lengths = lengths;
	lengths->nr = expression_compile(w->event, nr, &w->need);
	if (size)
		lengths->size = expression_compile(w->event, size, &w->need);
	return lengths->nr && (!size || lengths->size);
}

static bool walk(struct walk *w, const struct tep_print_arg *arg);

static bool walk_list(struct walk *w, const struct tep_print_arg *arg)
{
	for (; arg; arg = arg->next)
		if (!walk(w, arg))
			return false;
	return true;
}

static bool walk_kind(struct walk *w, const struct tep_print_arg *arg)
{
	switch (arg->type) {
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return add_lengths(w, arg->hex.size, NULL);
	case TEP_PRINT_INT_ARRAY:
		return add_lengths(w, arg->int_array.count, arg->int_array.el_size);
	case TEP_PRINT_TYPE:
		return walk(w, arg->typecast.item);
	case TEP_PRINT_OP:
		return walk(w, arg->op.left) && walk(w, arg->op.right);
	case TEP_PRINT_FUNC:
		return walk_list(w, arg->func.args);
	case TEP_PRINT_FLAGS:
		return walk(w, arg->flags.field);
	case TEP_PRINT_SYMBOL:
		return walk(w, arg->symbol.field);
	default:
		return true;
	}
}

static bool walk(struct walk *w, const struct tep_print_arg *arg)
{
	bool ok;

	if (!arg)
		return true;
	if (w->depth == DEPTH_MAX)
		return false;
	w->depth++;
	ok = walk_kind(w, arg);
	w->depth--;
	return ok;
}

bool format_find_lengths(struct tep_event *event, struct array_lengths **lengths)
{
	struct walk w = { .event = event };
	bool ok = widths_are_sane(event->print_fmt.format) &&
		  walk_list(&w, event->print_fmt.args);

	if (!ok) {
		array_lengths_free(w.lengths);
		w.lengths = NULL;
	}
	*lengths = w.lengths;
	return ok;
}

void array_lengths_free(struct array_lengths *lengths)
{
	while (lengths) {
		struct array_lengths *next = lengths->next;

		expression_free(lengths->nr);
		expression_free(lengths->size);
		free(lengths);
		lengths = next;
	}
}

bool array_lengths_are_sane(const struct array_lengths *lengths, const char *record,
			    uint32_t size)
{
	for (; lengths; lengths = lengths->next) {
		bool failed = false;
		uint64_t nr = expression_value(lengths->nr, record, size, &failed), each = 1;

		if (lengths->size)
			each = expression_value(lengths->size, record, size, &failed);
		if (failed || nr > OFFSET_MAX || each > OFFSET_MAX || nr * each > OFFSET_MAX)
			return false;
	}
	return true;
}
