// SPDX-License-Identifier: GPL-2.0-only
/* The format file of an event, in the layout of tracefs. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "event.h"
#include "format.h"
#include "lib/text.h"

/* The members of struct rbmap_record. */
const struct rbmap_field rbmap_common_fields[] = {
	RBMAP_FIELD(unsigned short, common_type),
	RBMAP_FIELD(unsigned char, common_flags),
	RBMAP_FIELD(unsigned char, common_preempt_count),
	RBMAP_FIELD(int, common_pid),
	RBMAP_LAZY_COUNT_FIELD
	{}
};

static void rbmap_format_copy(struct rbmap_text *text, const char *from)
{
	rbmap_text_copy(text, from, strlen(from));
}

static void rbmap_format_fields(struct rbmap_text *text,
				  const struct rbmap_field *field,
				  size_t offset)
{
	for (; field->name; field++) {
		offset = ALIGN(offset, field->align);
		rbmap_format_copy(text, "\tfield:");
		rbmap_format_copy(text, field->type);
		rbmap_format_copy(text, " ");
		rbmap_format_copy(text, field->name);
		if (field->len == RBMAP_FIELD_OPEN)
			rbmap_text_add(text, "[]");
		else if (field->length)
			rbmap_text_add(text, "[%s]", field->length);
		else if (field->len)
			rbmap_text_add(text, "[%d]", field->len);
		rbmap_text_add(text, ";\toffset:%zu;\tsize:%u;\tsigned:%d;\n",
			       offset, field->size, field->is_signed);
		offset += field->size;
	}
}

static bool rbmap_is_word(char c)
{
	return isalnum(c) || c == '_';
}

/* The prefix that <rbmap/record.h> adds to the field in __get_str(field). */
static size_t rbmap_data_loc_prefix(const char *word)
{
	static const char prefix[] = "__data_loc_";

	return strncmp(word, prefix, strlen(prefix)) ? 0 : strlen(prefix);
}

/*
 * The print format, with constants as numbers, because user space does not know
 * their names.  Quoted text and the names of the record's members are copied
 * unchanged.
 */
static void rbmap_format_print(struct rbmap_text *text,
			       const struct rbmap_event_type *event)
{
	const char *at = event->print_fmt, *end;
	bool quoted = false;
	long value;

	while (*at) {
		end = at + 1;
		if (*at == '"') {
			quoted = !quoted;
		} else if (quoted && *at == '\\' && *end) {
			end++;
		} else if (!quoted && rbmap_is_word(*at)) {
			while (rbmap_is_word(*end))
				end++;
			if (event->enum_value && !isdigit(*at) &&
			    event->enum_value(at, end - at, &value)) {
				rbmap_text_add(text, "%ld", value);
				at = end;
				continue;
			}
			at += rbmap_data_loc_prefix(at);
		} else if (!quoted && at[0] == '-' && at[1] == '>') {
			end++;
			while (rbmap_is_word(*end))
				end++;
		}
		rbmap_text_copy(text, at, end - at);
		at = end;
	}
}

/**
 * rbmap_event_format - write the text of an event's format file
 * @event: an event whose fields are known
 * @buf: buffer for the text, or NULL
 * @size: bytes at @buf
 *
 * Return: length of the text, as snprintf() returns it.
 */
int rbmap_event_format(const struct rbmap_event_type *event, char *buf, size_t size)
{
	struct rbmap_text text = { .buf = buf, .size = size };

	rbmap_text_add(&text, "name: %s\nID: %u\nformat:\n", event->name,
		       event->id);
	rbmap_format_fields(&text, rbmap_common_fields, 0);
	rbmap_text_add(&text, "\n");
	rbmap_format_fields(&text, event->fields, sizeof(struct rbmap_record));
	rbmap_text_add(&text, "\nprint fmt: ");
	rbmap_format_print(&text, event);
	rbmap_text_add(&text, "\n");
	return text.len;
}
