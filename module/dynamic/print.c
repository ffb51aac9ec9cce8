// SPDX-License-Identifier: GPL-2.0-only
/* The print format of a record: NAME=VALUE, with (fault) behind unreadable values. */
#include "program.h"
#include "lib/text.h"

/* The conversion depends on the number's size, because printers do not extend its sign. */
static const char *rbmap_fetch_conversion(const struct rbmap_fetch *fetch)
{
	if (fetch->form == 'x')
		return fetch->size == 8 ? "0x%llx" : "0x%x";
	if (fetch->form == 'u')
		return fetch->size == 8 ? "%llu" : "%u";
	switch (fetch->size) {
	case 1:
		return "%hhd";
	case 2:
		return "%hd";
	case 4:
		return "%d";
	default:
		return "%lld";
	}
}

static void rbmap_print_format(struct rbmap_text *text,
			       const struct rbmap_fetch *fetch)
{
	const char *conversion = rbmap_fetch_conversion(fetch);
	unsigned int i;

	rbmap_text_add(text, "%s=", fetch->name);
	if (fetch->kind == RBMAP_FETCH_STRING) {
		rbmap_text_add(text, "%%s");
		return;
	}
	if (fetch->kind == RBMAP_FETCH_ARRAY) {
		for (i = 0; i < fetch->elements; i++)
			rbmap_text_add(text, "%c%s", i ? ',' : '{', conversion);
		rbmap_text_add(text, "}");
	} else {
		rbmap_text_add(text, "%s", conversion);
	}
	rbmap_text_add(text, "%%s");
}

static void rbmap_print_arguments(struct rbmap_text *text,
				  const struct rbmap_fetch *fetch,
				  unsigned int i)
{
	unsigned int k;

	if (fetch->kind == RBMAP_FETCH_STRING) {
		rbmap_text_add(text, ", __get_str(%s)", fetch->name);
		return;
	}
	if (fetch->kind == RBMAP_FETCH_ARRAY) {
		for (k = 0; k < fetch->elements; k++)
			rbmap_text_add(text, ", REC->%s[%u]", fetch->name, k);
	} else {
		rbmap_text_add(text, ", REC->%s", fetch->name);
	}
	rbmap_text_add(text, ", (REC->" RBMAP_FAULTS " & %u) ? \"(fault)\" : \"\"",
		       1U << i);
}

/**
 * rbmap_fetch_print_fmt - the text after "print fmt: "
 * @program: from rbmap_dynamic_parse()
 * @buf: where to put it, or NULL
 * @size: bytes at @buf
 *
 * Return: its length, as snprintf() does.
 */
int rbmap_fetch_print_fmt(const struct rbmap_fetch_program *program, char *buf,
			  size_t size)
{
	struct rbmap_text text = { .buf = buf, .size = size };
	unsigned int i;

	rbmap_text_add(&text, "\"");
	for (i = 0; i < program->nr; i++) {
		rbmap_text_add(&text, "%s", i ? " " : "");
		rbmap_print_format(&text, &program->fetch[i]);
	}
	rbmap_text_add(&text, "\"");
	for (i = 0; i < program->nr; i++)
		rbmap_print_arguments(&text, &program->fetch[i], i);
	return text.len;
}
