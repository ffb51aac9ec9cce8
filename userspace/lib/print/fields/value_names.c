// SPDX-License-Identifier: LGPL-2.1-only
#include <stdlib.h>
#include <traceevent/event-parse.h>

#include "base/array.h"
#include "printer.h"
#include "printer_parts.h"
#include "value_names.h"

/* A string that is chosen by the value of one field */
static bool names_one_field(const struct string *s, uint32_t *offset)
{
	switch (s->kind) {
	case TEXT:
		return true;
	case FLAGS:
	case SYMBOL:
		return expression_has_one_field(s->number, offset);
	case CHOICE:
		return expression_has_one_field(s->number, offset) &&
		       names_one_field(s->choice[0], offset) &&
		       names_one_field(s->choice[1], offset);
	default:
		return false;
	}
}

static const char *field_at(const struct tep_event *event, uint32_t offset)
{
	const struct tep_format_field *f;

	for (f = event->format.fields; f; f = f->next)
		if (f->offset == (int)offset)
			return f->name;
	return NULL;
}

/* Return the entry of a field, which may be new, or NULL. */
static struct value_name *entry_of(struct value_names *names, const char *field)
{
	struct value_name *more;

	for (unsigned int i = 0; i < names->nr; i++)
		if (names->v[i].field == field)
			return &names->v[i];
	if (!array_grow(names->v, names->nr))
		return NULL;
	more = &names->v[names->nr];
	more->field = field;
	more->printer = calloc(1, sizeof(*more->printer));
	if (!more->printer)
		return NULL;
	names->nr++;
	return more;
}

/* A format can print a value in parts: "S" and "+". */
static void add_string(struct value_names *names, const char *field,
		       const struct printer *printer, struct string *string)
{
	struct value_name *name = entry_of(names, field);
	struct piece *piece = name ? printer_add_piece(name->printer, STRING) : NULL;

	if (!piece)
		return;
	piece->string = string;
	name->printer->need = printer->need;
}

void value_names_find(struct value_names *names, const struct tep_event *event,
		      const struct printer *printer)
{
	*names = (struct value_names){ 0 };
	for (unsigned int i = 0; printer && i < printer->nr_pieces; i++) {
		const struct piece *piece = &printer->piece[i];
		uint32_t offset = EXPRESSION_NO_FIELD;
		const char *field;

		if (piece->kind != STRING || !names_one_field(piece->string, &offset))
			continue;
		field = offset == EXPRESSION_NO_FIELD ? NULL : field_at(event, offset);
		if (field)
			add_string(names, field, printer, piece->string);
	}
}

/* The strings belong to another printer. */
void value_names_free(struct value_names *names)
{
	for (unsigned int i = 0; i < names->nr; i++) {
		free(names->v[i].printer->piece);
		free(names->v[i].printer);
	}
	free(names->v);
}
