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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format_text.h"

/* ---- the declaration of a field, such as "char comm[16]" or "__data_loc char[] name" */

#define PLACE_SIZE	4	/* bytes of a dynamic field: the place of its data */
#define TYPE_MAX	256	/* bytes of a declaration; the kernel's are shorter */

static const struct {
	const char *name;
	unsigned int size;
} types[] = {
	{ "char", 1 }, { "bool", 1 }, { "_Bool", 1 },
	{ "u8", 1 }, { "s8", 1 }, { "__u8", 1 }, { "__s8", 1 }, { "uint8_t", 1 }, { "int8_t", 1 },
	{ "short", 2 }, { "umode_t", 2 }, { "__le16", 2 }, { "__be16", 2 },
	{ "u16", 2 }, { "s16", 2 }, { "__u16", 2 }, { "__s16", 2 }, { "uint16_t", 2 },
	{ "int16_t", 2 },
	{ "int", 4 }, { "unsigned", 4 }, { "gfp_t", 4 }, { "__le32", 4 }, { "__be32", 4 },
	{ "u32", 4 }, { "s32", 4 }, { "__u32", 4 }, { "__s32", 4 }, { "uint32_t", 4 },
	{ "int32_t", 4 }, { "pid_t", 4 }, { "uid_t", 4 }, { "gid_t", 4 },
	{ "long", 8 }, { "size_t", 8 }, { "ssize_t", 8 }, { "loff_t", 8 }, { "sector_t", 8 },
	{ "u64", 8 }, { "s64", 8 }, { "__u64", 8 }, { "__s64", 8 }, { "uint64_t", 8 },
	{ "int64_t", 8 }, { "__le64", 8 }, { "__be64", 8 }, { "cpumask_t", 8 },
};

/* Locales of programs do not change what a word is. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static size_t last_word(const char *text, size_t len)
{
	size_t at = len;

	while (at && is_word(text[at - 1]))
		at--;
	return at;
}

static size_t trim(const char *text, size_t len)
{
	while (len && text[len - 1] == ' ')
		len--;
	return len;
}

/* Return the size of an element of that type, of which @text ends with the last word. */
static unsigned int size_of_type(const char *text, size_t len)
{
	const char *word;

	len = trim(text, len);
	if (len && text[len - 1] == '*')
		return sizeof(uint64_t);
	word = text + last_word(text, len);
	len = text + len - word;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (len == strlen(types[i].name) && !memcmp(word, types[i].name, len))
			return types[i].size;
	return 1;
}

/* Is the last word "char", and is the type not that of numbers with eight bits? */
static bool is_char(const char *text, size_t len)
{
	size_t at;

	len = trim(text, len);
	at = last_word(text, len);
	return len - at == 4 && !memcmp(text + at, "char", 4) &&
	       !memmem(text, len, "signed ", strlen("signed "));
}

/* @elements: the text between the brackets of "char comm[16]", with @len bytes */
static void set_array(struct rbmap_format_field *f, const char *base, size_t base_len,
		      const char *elements, size_t len)
{
	unsigned long nr = 0;

	for (size_t i = 0; i < len && i < 6 && is_digit(elements[i]); i++)
		nr = nr * 10 + (elements[i] - '0');
	f->flags |= RBMAP_FIELD_ARRAY;
	if (is_char(base, base_len))
		f->flags |= RBMAP_FIELD_STRING;
	f->element_size = size_of_type(base, base_len);
	if (f->flags & RBMAP_FIELD_DYNAMIC)
		return;
	/* The kernel also has arrays of structures, and lengths that are constants' names. */
	if (nr && f->size && !(f->size % nr))
		f->element_size = f->size / nr;
	else if (f->size % f->element_size)
		f->element_size = 1;
}

/* Return the length without "[...]" at the end. Store where its bracket begins. */
static size_t without_brackets(const char *text, size_t len, size_t *bracket)
{
	*bracket = len;
	if (!len || text[len - 1] != ']')
		return len;
	while (*bracket && text[*bracket - 1] != '[')
		--*bracket;
	if (*bracket)
		--*bracket;
	return trim(text, *bracket);
}

/* "__data_loc char[] name" */
static bool set_dynamic(struct rbmap_format_field *f, const char *text, size_t type_len)
{
	static const char data_loc[] = "__data_loc ", rel_loc[] = "__rel_loc ";
	size_t skip, len, bracket;

	if (type_len > strlen(data_loc) && !memcmp(text, data_loc, strlen(data_loc)))
		skip = strlen(data_loc);
	else if (type_len > strlen(rel_loc) && !memcmp(text, rel_loc, strlen(rel_loc)))
		skip = strlen(rel_loc);
	else
		return false;
	f->flags |= RBMAP_FIELD_DYNAMIC;
	if (skip == strlen(rel_loc))
		f->flags |= RBMAP_FIELD_RELATIVE;
	len = without_brackets(text + skip, type_len - skip, &bracket);
	set_array(f, text + skip, len, "", 0);
	return true;
}

/*
 * Set the name, the type, the size of an element, and flags; the field has its size
 * already. Return 0, -EINVAL or -ENOMEM. The caller frees the name and the type, after an
 * error too.
 */
static int c_type_parse(struct rbmap_format_field *f, const char *text, size_t size)
{
	size_t len, bracket, name, type_len, decl_len;
	char *type;

	if (size > TYPE_MAX || memchr(text, 0, size))
		return -EINVAL;
	decl_len = trim(text, size);
	len = without_brackets(text, decl_len, &bracket);
	name = last_word(text, len);
	type_len = trim(text, name);
	if (name == len || !type_len)
		return -EINVAL;
	f->name = strndup(text + name, len - name);
	if (asprintf(&type, "%.*s%.*s", (int)type_len, text, (int)(decl_len - bracket),
		     text + bracket) < 0)
		return -ENOMEM;
	f->type = type;
	if (set_dynamic(f, text, type_len)) {
		if (f->size != PLACE_SIZE)
			return -EINVAL;
	} else if (bracket < decl_len) {
		set_array(f, text, type_len, text + bracket + 1, decl_len - bracket - 2);
	} else {
		f->element_size = f->size;
		if (text[type_len - 1] == '*')
			f->flags |= RBMAP_FIELD_POINTER;
	}
	return f->name ? 0 : -ENOMEM;
}

/* ---- the format */

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
