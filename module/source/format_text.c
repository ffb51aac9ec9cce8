// SPDX-License-Identifier: GPL-2.0-only
/*
 * Formats of events, as the kernel's tracefs shows them: a line for each field, then the print
 * format.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "format_text.h"
#include "tracefs_text.h"

#define RBMAP_FORMAT_FIELD	"\tfield:"
#define RBMAP_FORMAT_PRINT	"\nprint fmt: "
/* Bytes of "events/SYSTEM/EVENT/format" */
#define RBMAP_FORMAT_PATH	(2 * RBMAP_EVENT_NAME_MAX + 32)

/**
 * rbmap_format_text - the text of a format file, from its fields on
 * @system: the event's system
 * @name: its name
 *
 * The number in front of the fields may change.
 *
 * Context: may sleep.
 * Return: the text, for kvfree(), or NULL.
 */
char *rbmap_format_text(const char *system, const char *name)
{
	char path[RBMAP_FORMAT_PATH], *text, *fields;

	if (strlen(system) > RBMAP_EVENT_NAME_MAX || strlen(name) > RBMAP_EVENT_NAME_MAX ||
	    strchr(system, '/') || strchr(name, '/'))
		return NULL;
	snprintf(path, sizeof(path), "events/%s/%s/format", system, name);
	text = rbmap_tracefs_text(path);
	fields = text ? strstr(text, RBMAP_FORMAT_FIELD) : NULL;
	if (!fields) {
		kvfree(text);
		return NULL;
	}
	memmove(text, fields, strlen(fields) + 1);
	return text;
}

/**
 * rbmap_format_text_fields_nr - count the fields of a format, with the common ones
 * @text: text of rbmap_format_text()
 */
unsigned int rbmap_format_text_fields_nr(const char *text)
{
	unsigned int nr = 0;

	while ((text = strstr(text, RBMAP_FORMAT_FIELD))) {
		text += strlen(RBMAP_FORMAT_FIELD);
		nr++;
	}
	return nr;
}

/**
 * rbmap_format_text_split_print - end the fields of a format before its print format
 * @text: text of rbmap_format_text()
 *
 * Return: the print format, in the text; NULL: it has none.
 */
char *rbmap_format_text_split_print(char *text)
{
	char *print = strstr(text, RBMAP_FORMAT_PRINT), *end;

	if (!print)
		return NULL;
	*print = 0;
	print += strlen(RBMAP_FORMAT_PRINT);
	/* A print format may contain newlines, before the last one of the file. */
	end = strrchr(print, '\n');
	if (end && !end[1])
		*end = 0;
	return print;
}

/* Split "TYPE NAME" or "TYPE NAME[LENGTH]", and end its parts. */
static bool rbmap_field_parse_name(struct rbmap_field *field, char *text)
{
	size_t len = strlen(text);
	char *bracket = len && text[len - 1] == ']' ? strrchr(text, '[') : NULL, *blank;
	char *end = bracket ?: text + len;

	/* Some kernels show the length as it was written: "[TASK_COMM_LEN]". */
	if (bracket && sscanf(bracket, "[%hd]", &field->len) != 1) {
		text[len - 1] = 0;
		field->length = bracket + 1;
	}
	*end = 0;
	blank = strrchr(text, ' ');
	if (!blank)
		return false;
	*blank = 0;
	field->type = text;
	field->name = blank + 1;
	return true;
}

/* Parse a line behind RBMAP_FORMAT_FIELD.  @offset: its offset */
static bool rbmap_field_parse(struct rbmap_field *field, char *line, unsigned int *offset)
{
	char *end = strchr(line, ';');
	unsigned int size, is_signed;

	if (!end || sscanf(end, ";\toffset:%u;\tsize:%u;\tsigned:%u;", offset, &size,
			   &is_signed) != 3)
		return false;
	*end = 0;
	field->size = size;
	field->is_signed = is_signed;
	return rbmap_field_parse_name(field, line);
}

/**
 * rbmap_format_text_next - parse the next field that is not common to all events
 * @rest: the text that was not read yet.  Its lines are split, and @field points into them
 * @field: an empty field.  Its alignment stays 0
 * @offset: set to its offset in the record
 *
 * Return: 1; 0: there are no more fields, and @field is empty; -EOPNOTSUPP.
 */
int rbmap_format_text_next(char **rest, struct rbmap_field *field, unsigned int *offset)
{
	char *line;

	while ((line = strsep(rest, "\n"))) {
		if (!strstarts(line, RBMAP_FORMAT_FIELD))
			continue;
		if (!rbmap_field_parse(field, line + strlen(RBMAP_FORMAT_FIELD), offset))
			return -EOPNOTSUPP;
		if (!strstarts(field->name, "common_"))
			return 1;
		memset(field, 0, sizeof(*field));
	}
	return 0;
}
