// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "base/printable.h"
#include "perfetto_value.h"
#include "print/field_value.h"
#include "print/fields/fields.h"
#include "print/fields/numbers.h"

#define REPLACEMENT	"\xef\xbf\xbd"	/* U+FFFD, for a byte that is not UTF-8 */
#define NUMBER_ROOM	(NUMBER_MAX + 3)	/* with its sign and ", " */

void perfetto_values_begin(struct perfetto_values *v)
{
	v->used = 0;
	v->left = VALUES_MAX;
}

/* Return @size bytes of the room, or NULL: the event has too many. */
static char *take_room(struct perfetto_values *v, size_t size)
{
	char *at;

	v->used = (v->used + 7) & ~7UL;
	if (size > v->left || v->used > VALUES_MAX - size)
		return NULL;
	at = v->room + v->used;
	v->used += size;
	v->left -= size;
	return at;
}

static bool is_ascii(const char *text, size_t size)
{
	unsigned char all = 0;

	for (size_t i = 0; i < size; i++)
		all |= text[i];
	return all < 0x80;
}

char *perfetto_put_utf8(char *at, const unsigned char *s, size_t size)
{
	while (size) {
		size_t len = utf8_length(s, size);

		if (len)
			at = mempcpy(at, s, len);
		else
			at = mempcpy(at, REPLACEMENT, strlen(REPLACEMENT));
		len = len ? len : 1;
		s += len;
		size -= len;
	}
	return at;
}

/* Return whether the event may have the string. Make it UTF-8, as in JSON. */
static bool set_string(struct perfetto_values *v, const struct field_value *value,
		       ProtobufCBinaryData *to)
{
	char *at;

	if (is_ascii(value->at, value->size)) {
		if (value->size > v->left)
			return false;
		v->left -= value->size;
		*to = (ProtobufCBinaryData){ value->size, (uint8_t *)value->at };
		return true;
	}
	at = take_room(v, value->size * strlen(REPLACEMENT));
	if (!at)
		return false;
	to->data = (uint8_t *)at;
	to->len = perfetto_put_utf8(at, (const unsigned char *)value->at, value->size) - at;
	return true;
}

static uint64_t number(const struct tep_format_field *f, const char *at, uint32_t size)
{
	uint64_t value = field_number(at, size);

	return f->flags & TEP_FIELD_IS_SIGNED ? (uint64_t)sign_extend(value, 8 * size) : value;
}

/* A generic event has no arrays: write one as text, as JSON has it. */
static bool set_array_text(struct perfetto_values *v, const struct tep_format_field *f,
			   const struct field_value *value, ProtobufCBinaryData *to)
{
	unsigned int element = f->elementsize;
	char *begin = take_room(v, (size_t)value->size / element * NUMBER_ROOM + 2), *at = begin;

	if (!at)
		return false;
	*at++ = '[';
	for (uint32_t i = 0; i + element <= value->size; i += element) {
		uint64_t n = number(f, value->at + i, element);

		if (i)
			at = mempcpy(at, ", ", 2);
		at = f->flags & TEP_FIELD_IS_SIGNED ? put_signed(at, n) : put_decimal(at, n);
	}
	*at++ = ']';
	*to = (ProtobufCBinaryData){ at - begin, (uint8_t *)begin };
	return true;
}

static void set_array(struct perfetto_values *v, const struct tep_format_field *f,
		      const struct field_value *value, size_t *nr, uint64_t **to)
{
	unsigned int element = f->elementsize;

	*nr = 0;
	*to = (uint64_t *)take_room(v, value->size / element * sizeof(**to));
	for (uint32_t i = 0; *to && i + element <= value->size; i += element)
		(*to)[(*nr)++] = number(f, value->at + i, element);
}

static void *member(ProtobufCMessage *message, unsigned int offset)
{
	return (char *)message + offset;
}

/* Set a field of a message that FtraceEvent has for the event. */
static void set_member(struct perfetto_values *v, const struct perfetto_field *field,
		       const struct field_value *value, ProtobufCMessage *message)
{
	void *to = member(message, field->to->offset);
	void *quantifier = member(message, field->to->quantifier_offset);
	uint64_t n;

	if (value->kind == FIELD_ARRAY) {
		set_array(v, field->from, value, quantifier, to);
		return;
	}
	*(protobuf_c_boolean *)quantifier = value->kind != FIELD_NONE;
	if (value->kind == FIELD_STRING)
		*(protobuf_c_boolean *)quantifier = set_string(v, value, to);
	if (value->kind != FIELD_NUMBER)
		return;
	n = number(field->from, value->at, value->size);
	if (field->to->type == PROTOBUF_C_TYPE_INT32 || field->to->type == PROTOBUF_C_TYPE_UINT32)
		*(uint32_t *)to = n;
	else
		*(uint64_t *)to = n;
}

static bool set_generic(struct perfetto_values *v, struct perfetto_field *field,
			const struct field_value *value)
{
	Perfetto__Generic__Field *to = &field->generic;

	if (value->kind == FIELD_NUMBER) {
		bool is_signed = field->from->flags & TEP_FIELD_IS_SIGNED;

		to->value_case = is_signed ? PERFETTO__GENERIC__FIELD__VALUE_INT_VALUE :
					     PERFETTO__GENERIC__FIELD__VALUE_UINT_VALUE;
		/* Both members of the union have these bits. */
		to->uint_value = number(field->from, value->at, value->size);
		return true;
	}
	to->value_case = PERFETTO__GENERIC__FIELD__VALUE_STR_VALUE;
	if (value->kind == FIELD_STRING)
		return set_string(v, value, &to->str_value);
	return value->kind == FIELD_ARRAY &&
	       set_array_text(v, field->from, value, &to->str_value);
}

static int set_field(struct perfetto_values *v, struct perfetto_layout *layout,
		     struct perfetto_field *field, const struct rbmap_event *ev)
{
	Perfetto__Generic *generic = layout->generic;
	struct field_value value;

	if (field_value_find(v->line, ev, field->from, &value))
		return -ENOMEM;
	if (!generic)
		set_member(v, field, &value, layout->message);
	else if (set_generic(v, field, &value))
		generic->field[generic->n_field++] = &field->generic;
	return 0;
}

int perfetto_values_set(struct perfetto_values *v, struct perfetto_layout *layout,
			const struct rbmap_event *ev)
{
	int ret = 0;

	if (layout->generic)
		layout->generic->n_field = 0;
	for (unsigned int i = 0; i < layout->nr_fields && !ret; i++)
		ret = set_field(v, layout, &layout->field[i], ev);
	return ret;
}

void perfetto_values_set_text(struct perfetto_layout *layout, const char *text, size_t size)
{
	Perfetto__Generic__Field *field = &layout->field[0].generic;

	field->value_case = PERFETTO__GENERIC__FIELD__VALUE_STR_VALUE;
	field->str_value = (ProtobufCBinaryData){ size, (uint8_t *)text };
	layout->generic->field[0] = field;
	layout->generic->n_field = 1;
}
