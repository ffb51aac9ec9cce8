// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parse the text of an event's format:
 *
 *	name: sched_waking
 *	ID: 315
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		...
 *
 *		field:char comm[16];	offset:8;	size:16;	signed:0;
 *		...
 *
 *	print fmt: "comm=%s ...", REC->comm, ...
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "c_type.h"
#include "format_text.h"

#define OFFSET_MAX	65535	/* offsets and sizes have 16 bits in the kernel */
#define ID_MAX		65535	/* common_type has 16 bits */

/* A part of the text */
struct part {
	const char *at;
	const char *end;
};

static bool starts_with(struct part *p, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(p->end - p->at) < len || memcmp(p->at, word, len))
		return false;
	p->at += len;
	return true;
}

static void skip_blanks(struct part *p)
{
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
		p->at++;
}

/* Take what is before @end, and @end itself. Without @end, take all. */
static struct part take_until(struct part *p, char end)
{
	struct part taken = *p;
	const char *at = memchr(p->at, end, p->end - p->at);

	taken.end = at ? at : p->end;
	p->at = at ? at + 1 : p->end;
	return taken;
}

static bool take_number(struct part *p, uint32_t most, uint32_t *number)
{
	const char *begin = p->at;

	*number = 0;
	while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
		*number = *number * 10 + (*p->at++ - '0');
		if (*number > most)
			return false;
	}
	return p->at > begin;
}

/* Take "KEY:NUMBER;". */
static bool take_value(struct part *line, const char *key, uint32_t most, uint32_t *number)
{
	skip_blanks(line);
	return starts_with(line, key) && take_number(line, most, number) &&
	       starts_with(line, ";");
}

static char *copy(struct part p)
{
	return strndup(p.at, p.end - p.at);
}

/* Add a field, of which the caller sets the rest. */
static struct rbmap_format_field *add_field(struct format *f)
{
	uint32_t nr = f->public.nr_fields;

	if (!array_grow(f->field, nr))
		return NULL;
	f->field[nr] = (struct rbmap_format_field){ 0 };
	f->public.nr_fields++;
	return &f->field[nr];
}

/* The format of a stack says 8 functions, and a record has as many as there were. */
static bool is_stack(const struct format *f, const struct rbmap_format_field *field)
{
	return field->flags & RBMAP_FIELD_ARRAY && !strcmp(field->name, "caller") &&
	       !strcmp(f->public.name, "kernel_stack") && !strcmp(f->public.system, "ftrace");
}

/* Parse what follows "field:" in a line. */
static int parse_field(struct format *f, struct part line, bool is_common)
{
	struct part declaration = take_until(&line, ';');
	uint32_t offset, size, is_signed = 0;
	struct rbmap_format_field *field;
	int ret;

	if (!take_value(&line, "offset:", OFFSET_MAX, &offset) ||
	    !take_value(&line, "size:", OFFSET_MAX, &size))
		return -EINVAL;
	/* Kernels before 2.6.30 do not say it. */
	take_value(&line, "signed:", 1, &is_signed);
	field = add_field(f);
	if (!field)
		return -ENOMEM;
	field->offset = offset;
	field->size = size;
	field->flags = (is_signed ? RBMAP_FIELD_SIGNED : 0) |
		       (is_common ? RBMAP_FIELD_COMMON : 0);
	ret = c_type_parse(field, declaration.at, declaration.end - declaration.at);
	if (!ret && is_stack(f, field))
		field->size = 0;
	if (offset + field->size > f->public.size)
		f->public.size = offset + field->size;
	return ret;
}

/* An empty line separates the common fields from the others. */
static int parse_fields(struct format *f, struct part *text)
{
	bool is_common = true;
	int ret = 0;

	while (text->at < text->end && !ret) {
		struct part rest = *text, line = take_until(&rest, '\n');

		skip_blanks(&line);
		if (starts_with(&line, "field:"))
			ret = parse_field(f, line, is_common);
		else if (line.at == line.end)
			is_common = false;
		else
			break;
		*text = rest;
	}
	return ret;
}

static int parse_head(struct format *f, struct part *text)
{
	struct part line = take_until(text, '\n');

	if (!starts_with(&line, "name: ") || line.at == line.end)
		return -EINVAL;
	f->public.name = copy(line);
	if (!f->public.name)
		return -ENOMEM;
	line = take_until(text, '\n');
	if (!starts_with(&line, "ID: ") || !take_number(&line, ID_MAX, &f->public.id))
		return -EINVAL;
	line = take_until(text, '\n');
	return starts_with(&line, "format:") ? 0 : -EINVAL;
}

static int parse(struct format *f, struct part text)
{
	int ret = parse_head(f, &text);

	if (!ret)
		ret = parse_fields(f, &text);
	if (ret)
		return ret;
	if (!starts_with(&text, "print fmt: "))
		text.at = text.end;
	f->public.print = copy(take_until(&text, '\n'));
	return f->public.print ? 0 : -ENOMEM;
}

const char *format_find_id(const char *text, uint32_t *id, const char **rest)
{
	const char *line = strstr(text, "\nID: ");
	struct part p;

	if (!line)
		return NULL;
	p.at = line + strlen("\nID: ");
	p.end = p.at + strcspn(p.at, "\n");
	if (!take_number(&p, ID_MAX, id) || *p.at != '\n')
		return NULL;
	*rest = p.at + 1;
	return line;
}

int format_parse(struct format **format, const char *system, const char *text, size_t size)
{
	struct format *f = calloc(1, sizeof(*f));
	int ret = -ENOMEM;

	if (!f)
		return ret;
	f->public.system = strdup(system);
	if (f->public.system)
		ret = parse(f, (struct part){ text, text + size });
	if (ret)
		format_free(f);
	else
		*format = f;
	return ret;
}

void format_free(struct format *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->public.nr_fields; i++) {
		free((char *)f->field[i].name);
		free((char *)f->field[i].type);
	}
	free(f->field);
	free((char *)f->public.system);
	free((char *)f->public.name);
	free((char *)f->public.print);
	free(f);
}
