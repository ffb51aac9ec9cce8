// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print a record by its fields, for events that the kernel's code does not print: those that
 * are made at run time, and those of other modules.  The print format says how, if it has
 * nothing but members, strings of the record and tests of a bit.  Any other record is printed
 * as NAME=VALUE, member by member.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

#include "text_fields.h"

#define RBMAP_RECORD_MEMBER	"REC->"
#define RBMAP_RECORD_STRING	"__get_str("
#define RBMAP_CONVERSION_MAX	16

/**
 * struct rbmap_value - what an argument of a print format is
 * @text: the string, not ended by a 0 byte; NULL: a number
 * @len: bytes of @text
 * @number: the number, with its sign
 * @field: the member, or NULL
 */
struct rbmap_value {
	const char	*text;
	size_t		len;
	u64		number;
	const struct rbmap_field *field;
};

/**
 * struct rbmap_reading - a print format that is read for a record
 * @s: where to print
 * @event: the event
 * @record: the record
 * @size: bytes of it
 * @at: place in the arguments
 */
struct rbmap_reading {
	struct trace_seq		*s;
	const struct rbmap_event_type	*event;
	const void			*record;
	u32				size;
	const char			*at;
};

/* ---- values of members */

static const struct rbmap_field *rbmap_field_find(const struct rbmap_event_type *event,
						   const char *name, size_t len, size_t *offset)
{
	const struct rbmap_field *field;

	*offset = sizeof(struct rbmap_record);
	for (field = event->fields; field->name; field++) {
		*offset = ALIGN(*offset, field->align);
		if (strlen(field->name) == len && !strncmp(field->name, name, len))
			return field;
		*offset += field->size;
	}
	return NULL;
}

static bool rbmap_number_get(const void *from, unsigned int size, bool is_signed, u64 *number)
{
	union {
		u8	byte;
		u16	half;
		u32	word;
		u64	wide;
	} value;

	memcpy(&value, from, min_t(unsigned int, size, sizeof(value)));
	switch (size) {
	case 1:
		*number = is_signed ? (u64)(s8)value.byte : value.byte;
		return true;
	case 2:
		*number = is_signed ? (u64)(s16)value.half : value.half;
		return true;
	case 4:
		*number = is_signed ? (u64)(s32)value.word : value.word;
		return true;
	case 8:
		*number = value.wide;
		return true;
	default:
		return false;
	}
}

static bool rbmap_field_is_dynamic(const struct rbmap_field *field)
{
	return strstarts(field->type, "__data_loc") && field->size == sizeof(u32);
}

/* Bytes of a member, or of the array behind the members that it stands for. */
static bool rbmap_field_bytes(const struct rbmap_reading *r, const struct rbmap_field *field,
			      size_t offset, const u8 **bytes, size_t *len)
{
	u32 loc;

	*len = field->len == RBMAP_FIELD_OPEN ? r->size - min_t(size_t, offset, r->size) :
						field->size;
	if (offset > r->size || *len > r->size - offset)
		return false;
	*bytes = r->record + offset;
	if (!rbmap_field_is_dynamic(field))
		return true;
	memcpy(&loc, *bytes, sizeof(loc));
	*len = loc >> 16;
	offset = loc & 0xffff;
	if (offset > r->size || *len > r->size - offset)
		return false;
	*bytes = r->record + offset;
	return true;
}

static bool rbmap_field_is_text(const struct rbmap_field *field)
{
	return (field->len && !strcmp(field->type, "char")) ||
	       (rbmap_field_is_dynamic(field) && strstr(field->type, "char[]"));
}

/*
 * A precision for printk(), which warns about larger ones.  A line has no room for as much text, so
 * that it is left out.
 */
static int rbmap_text_precision(size_t len)
{
	return min_t(size_t, len, S16_MAX);
}

static unsigned int rbmap_field_element(const struct rbmap_field *field)
{
	return field->len > 0 ? field->size / field->len : field->size;
}

/* The value of a member, or of element @index of an array. */
static bool rbmap_field_value(const struct rbmap_reading *r, const struct rbmap_field *field,
			      size_t offset, unsigned int index, struct rbmap_value *value)
{
	unsigned int element = rbmap_field_element(field);
	const u8 *bytes;
	size_t len;

	*value = (struct rbmap_value) { .field = field };
	if (!rbmap_field_bytes(r, field, offset, &bytes, &len))
		return false;
	if (rbmap_field_is_text(field)) {
		value->text = (const char *)bytes;
		value->len = strnlen(value->text, len);
		return true;
	}
	if (!element || (size_t)(index + 1) * element > len)
		return false;
	return rbmap_number_get(bytes + index * element, element, field->is_signed,
				&value->number);
}

/* ---- arguments */

static bool rbmap_skip(struct rbmap_reading *r, const char *text)
{
	const char *at = skip_spaces(r->at);

	if (!strstarts(at, text))
		return false;
	r->at = at + strlen(text);
	return true;
}

static bool rbmap_skip_number(struct rbmap_reading *r, unsigned int *number)
{
	const char *at = skip_spaces(r->at);

	if (!isdigit(*at))
		return false;
	for (*number = 0; isdigit(*at); at++)
		*number = *number * 10 + *at - '0';
	r->at = at;
	return true;
}

/* NAME or NAME[INDEX] */
static bool rbmap_skip_member(struct rbmap_reading *r, struct rbmap_value *value)
{
	const struct rbmap_field *field;
	unsigned int index = 0;
	size_t len = 0, offset;

	while (isalnum(r->at[len]) || r->at[len] == '_')
		len++;
	field = rbmap_field_find(r->event, r->at, len, &offset);
	r->at += len;
	if (!field)
		return false;
	if (rbmap_skip(r, "[") && !(rbmap_skip_number(r, &index) && rbmap_skip(r, "]")))
		return false;
	return rbmap_field_value(r, field, offset, index, value);
}

static bool rbmap_skip_text(struct rbmap_reading *r, struct rbmap_value *value)
{
	const char *end;

	if (!rbmap_skip(r, "\""))
		return false;
	end = strchr(r->at, '"');
	if (!end)
		return false;
	value->text = r->at;
	value->len = end - r->at;
	r->at = end + 1;
	return true;
}

/* (REC->NAME & BITS) ? "TEXT" : "TEXT", behind the first parenthesis */
static bool rbmap_skip_test(struct rbmap_reading *r, struct rbmap_value *value)
{
	struct rbmap_value member, yes, no;
	unsigned int bits;

	if (!rbmap_skip(r, RBMAP_RECORD_MEMBER) || !rbmap_skip_member(r, &member) ||
	    !rbmap_skip(r, "&") || !rbmap_skip_number(r, &bits) || !rbmap_skip(r, ")") ||
	    !rbmap_skip(r, "?") || !rbmap_skip_text(r, &yes) || !rbmap_skip(r, ":") ||
	    !rbmap_skip_text(r, &no))
		return false;
	*value = member.number & bits ? yes : no;
	return true;
}

static bool rbmap_skip_argument(struct rbmap_reading *r, struct rbmap_value *value)
{
	if (!rbmap_skip(r, ","))
		return false;
	if (rbmap_skip(r, RBMAP_RECORD_MEMBER))
		return rbmap_skip_member(r, value);
	if (rbmap_skip(r, RBMAP_RECORD_STRING))
		return rbmap_skip_member(r, value) && rbmap_skip(r, ")");
	return rbmap_skip(r, "(") && rbmap_skip_test(r, value);
}

/* ---- conversions */

/* Copy flags, width and precision of a conversion.  Return what follows, or NULL. */
static const char *rbmap_conversion_begin(const char *at, char *to, size_t room)
{
	size_t len = strspn(at, "-+ #0123456789.");

	if (len + 2 > room)
		return NULL;
	to[0] = '%';
	memcpy(to + 1, at, len);
	to[len + 1] = 0;
	return at + len;
}

/* Bytes of the number that a length modifier announces. */
static const char *rbmap_conversion_size(const char *at, unsigned int *size)
{
	*size = sizeof(int);
	if (strstarts(at, "hh")) {
		*size = 1;
		return at + 2;
	}
	if (*at == 'h')
		*size = 2;
	else if (*at == 'l' || *at == 'z')
		*size = 8;
	else
		return at;
	return at + (strstarts(at, "ll") ? 2 : 1);
}

static bool rbmap_print_number(struct trace_seq *s, char *spec, char conversion,
			       unsigned int size, u64 number)
{
	unsigned int unused = 64 - 8 * size;
	u64 cut = number << unused >> unused;

	if (!conversion || !strchr("dixXuop", conversion))
		return false;
	if (conversion == 'd' || conversion == 'i')
		cut = (s64)(number << unused) >> unused;
	if (conversion == 'p') {
		trace_seq_printf(s, "0x%llx", number);
		return true;
	}
	strcat(spec, "ll");
	strncat(spec, &conversion, 1);
	trace_seq_printf(s, spec, cut);
	return true;
}

/* Print at most as many bytes as the precision says.  @spec: flags, width and precision */
static void rbmap_print_string(struct trace_seq *s, char *spec, const struct rbmap_value *value)
{
	char *point = strchr(spec, '.');
	size_t len = value->len;
	unsigned int most = 0;

	if (point) {
		*point = 0;
		/* Without digits the precision is 0. */
		if (point[1] && kstrtouint(point + 1, 10, &most))
			most = len;
		len = min_t(size_t, len, most);
	}
	strcat(spec, ".*s");
	trace_seq_printf(s, spec, rbmap_text_precision(len), value->text);
}

/*
 * The place of a probe that somebody has made in tracefs.  The kernel prints its symbol: with
 * the offset, unless it is the function that returns.  An address that is hashed has none.
 */
static bool rbmap_print_place(struct trace_seq *s, const struct rbmap_value *value)
{
	const void *place = (const void *)(unsigned long)value->number;

	if (!value->field || !strstarts(value->field->name, "__probe_"))
		return false;
	trace_seq_printf(s, strcmp(value->field->name, "__probe_func") ? "%pS" : "%ps", place);
	return true;
}

/* Print an argument by the conversion after '%'.  Return what follows, or NULL. */
static const char *rbmap_print_conversion(struct rbmap_reading *r, const char *at)
{
	char spec[RBMAP_CONVERSION_MAX + 4];
	struct rbmap_value value;
	unsigned int size;

	at = rbmap_conversion_begin(at, spec, RBMAP_CONVERSION_MAX);
	if (!at)
		return NULL;
	at = rbmap_conversion_size(at, &size);
	if (!rbmap_skip_argument(r, &value))
		return NULL;
	if (*at == 's') {
		if (!value.text)
			return NULL;
		rbmap_print_string(r->s, spec, &value);
	} else if (*at == 'x' && rbmap_print_place(r->s, &value)) {
		return at + 1;
	} else if (value.text || !rbmap_print_number(r->s, spec, *at, size, value.number)) {
		return NULL;
	}
	return at + 1;
}

static void rbmap_print_escape(struct trace_seq *s, char c)
{
	trace_seq_putc(s, c == 'n' ? '\n' : c == 't' ? '\t' : c);
}

/* The end of the quoted text that begins the print format, or NULL. */
static const char *rbmap_format_end(const char *format)
{
	const char *at;

	if (*format != '"')
		return NULL;
	for (at = format + 1; *at && *at != '"'; at++) {
		if (*at == '\\' && at[1])
			at++;
	}
	return *at ? at : NULL;
}

/* Return whether all of the print format was understood. */
static bool rbmap_print_by_format(struct rbmap_reading *r)
{
	const char *at = r->event->print_fmt, *end = rbmap_format_end(at);

	if (!end)
		return false;
	r->at = end + 1;
	for (at++; at < end;) {
		if (*at == '\\') {
			rbmap_print_escape(r->s, at[1]);
			at += 2;
		} else if (*at != '%') {
			trace_seq_putc(r->s, *at++);
		} else if (at[1] == '%') {
			trace_seq_putc(r->s, '%');
			at += 2;
		} else {
			at = rbmap_print_conversion(r, at + 1);
			if (!at)
				return false;
		}
	}
	return !*skip_spaces(r->at);
}

/* ---- NAME=VALUE */

static void rbmap_print_bytes_of(struct trace_seq *s, const u8 *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		trace_seq_printf(s, "%s%02x", i ? " " : "", bytes[i]);
}

static void rbmap_print_member(const struct rbmap_reading *r, const struct rbmap_field *field,
			       size_t offset)
{
	struct rbmap_value value;
	const u8 *bytes;
	size_t len;

	trace_seq_printf(r->s, " %s=", field->name);
	if (!rbmap_field_bytes(r, field, offset, &bytes, &len))
		trace_seq_puts(r->s, "(cut)");
	else if (rbmap_field_is_text(field))
		trace_seq_printf(r->s, "%.*s",
				 rbmap_text_precision(strnlen((const char *)bytes, len)), bytes);
	else if (field->len || rbmap_field_is_dynamic(field) ||
		 !rbmap_field_value(r, field, offset, 0, &value))
		rbmap_print_bytes_of(r->s, bytes, len);
	else if (strchr(field->type, '*'))
		trace_seq_printf(r->s, "0x%llx", value.number);
	else
		trace_seq_printf(r->s, field->is_signed ? "%lld" : "%llu", value.number);
}

static void rbmap_print_members(const struct rbmap_reading *r)
{
	const struct rbmap_field *field;
	size_t offset = sizeof(struct rbmap_record);

	for (field = r->event->fields; field->name; field++) {
		offset = ALIGN(offset, field->align);
		rbmap_print_member(r, field, offset);
		offset += field->size;
	}
}

/**
 * rbmap_print_fields - print a record by its fields
 * @s: where to print
 * @event: the event
 * @record: the record
 * @size: bytes of it
 */
void rbmap_print_fields(struct trace_seq *s, const struct rbmap_event_type *event,
			const void *record, u32 size)
{
	struct rbmap_reading r = {
		.s = s, .event = event, .record = record, .size = size,
	};
	size_t begin;

	trace_seq_printf(s, "%s:", event->name);
	begin = s->seq.len;
	trace_seq_putc(s, ' ');
	if (!event->fields) {
		rbmap_print_bytes_of(s, record + sizeof(struct rbmap_record),
				     size - sizeof(struct rbmap_record));
	} else if (!rbmap_print_by_format(&r)) {
		s->seq.len = begin;
		s->full = 0;
		rbmap_print_members(&r);
	}
	trace_seq_putc(s, '\n');
}
