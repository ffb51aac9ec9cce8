// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "components.h"
#include "event_common.h"
#include "fields.h"

/*
 * Graphs of babeltrace2 2.1 use version 1 of the message interchange protocol (MIP) if all
 * components support it. sink.ctf.fs needs version 1 to write CTF 2, its default. The
 * version changes one function that the plugin calls. Headers of 2.0 lack its successor.
 */
#if __has_include(<babeltrace2/trace-ir/field-location.h>)
#define NEWEST_MIP	1
#else
#define NEWEST_MIP	0
#endif

bt_component_class_get_supported_mip_versions_method_status
supported_mip(bt_self_component_class_source *self, const bt_value *params, void *data,
	      bt_logging_level level, bt_integer_range_set_unsigned *versions)
{
	(void)self;
	(void)params;
	(void)data;
	(void)level;
	return bt_integer_range_set_unsigned_add_range(versions, 0, NEWEST_MIP) ?
		BT_COMPONENT_CLASS_GET_SUPPORTED_MIP_VERSIONS_METHOD_STATUS_MEMORY_ERROR :
		BT_COMPONENT_CLASS_GET_SUPPORTED_MIP_VERSIONS_METHOD_STATUS_OK;
}

static bt_field_class *dynamic_array_class(bt_trace_class *in, bt_field_class *element)
{
#if NEWEST_MIP > 0
	if (bt_trace_class_get_graph_mip_version(in) > 0)
		return bt_field_class_array_dynamic_without_length_field_location_create(in,
											 element);
#endif
	return bt_field_class_array_dynamic_create(in, element, NULL);
}

static bool is_number(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

bt_field_class *number_class(bt_trace_class *in, uint32_t size, uint32_t flags)
{
	bt_field_class *class = flags & RBMAP_FIELD_SIGNED ?
		bt_field_class_integer_signed_create(in) :
		bt_field_class_integer_unsigned_create(in);

	if (!class)
		return NULL;
	bt_field_class_integer_set_field_value_range(class, 8 * size);
	if (flags & RBMAP_FIELD_POINTER)
		bt_field_class_integer_set_preferred_display_base(class,
			BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL);
	return class;
}

bt_field_class *array_class(bt_trace_class *in, const struct rbmap_format_field *f)
{
	uint32_t size = f->flags & RBMAP_FIELD_ARRAY && is_number(f->element_size) ?
			f->element_size : 1;
	bt_field_class *element = number_class(in, size, f->flags), *class;

	if (!element)
		return NULL;
	class = f->flags & RBMAP_FIELD_DYNAMIC || !f->size ?
		dynamic_array_class(in, element) :
		bt_field_class_array_static_create(in, element, f->size / size);
	bt_field_class_put_ref(element);
	return class;
}

bt_field_class *class_of_field(bt_trace_class *in, const struct rbmap_format_field *f)
{
	if (f->flags & RBMAP_FIELD_STRING)
		return bt_field_class_string_create(in);
	if (!(f->flags & RBMAP_FIELD_ARRAY) && is_number(f->size))
		return number_class(in, f->size, f->flags);
	return array_class(in, f);
}

bool append_member(bt_field_class *structure, const char *name, bt_field_class *class)
{
	bool ok = class && !bt_field_class_structure_append_member(structure, name, class);

	bt_field_class_put_ref(class);
	return ok;
}

/* ---- values: one that lies outside of its event is 0 or empty */

#define REPLACEMENT		"\xef\xbf\xbd"	/* U+FFFD */
#define REPLACEMENT_SIZE	3
#define IDLE_ROOM		128	/* for "HOST:<idle>" */

/* Return the length of the character at @at in UTF-8; 0: it is not one. */
static size_t character(const unsigned char *at, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 :
		     *at >> 3 == 30 ? 4 : 0;
	uint32_t code;

	if (len < 2)
		return len;
	if (len > left)
		return 0;
	code = *at & (0x7f >> len);
	for (size_t i = 1; i < len; i++) {
		if (at[i] >> 6 != 2)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	return code < least[len] || code > 0x10ffff || code >> 11 == 0x1b ? 0 : len;
}

char *values_utf8(const char *text, size_t len)
{
	char *copy = malloc(REPLACEMENT_SIZE * len + 1), *to = copy;
	const unsigned char *at = (const unsigned char *)text;

	while (copy && len) {
		size_t one = character(at, len);

		if (one)
			to = mempcpy(to, at, one);
		else
			to = mempcpy(to, REPLACEMENT, REPLACEMENT_SIZE);
		at += one ? one : 1;
		len -= one ? one : 1;
	}
	if (copy)
		*to = '\0';
	return copy;
}

static bool is_ascii(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

static bool set_text(bt_field *field, const char *text, size_t len)
{
	char *copy;
	bool ok;

	bt_field_string_clear(field);
	if (is_ascii(text, len))
		return !bt_field_string_append_with_length(field, text, len);
	copy = values_utf8(text, len);
	ok = copy && !bt_field_string_append(field, copy);
	free(copy);
	return ok;
}

static void set_number(bt_field *field, uint64_t number, uint32_t flags)
{
	if (flags & RBMAP_FIELD_SIGNED)
		bt_field_integer_signed_set_value(field, (int64_t)number);
	else
		bt_field_integer_unsigned_set_value(field, number);
}

/* Set the elements: numbers of the field's own size, or bytes. */
static bool set_elements(bt_field *field, const struct rbmap_format_field *f,
			 const unsigned char *data, size_t size)
{
	struct rbmap_event bytes = { .data = data, .size = size };
	struct rbmap_format_field element = { .flags = f->flags & RBMAP_FIELD_SIGNED };
	uint32_t n = f->element_size;
	uint64_t number;

	element.size = f->flags & RBMAP_FIELD_ARRAY && (n == 2 || n == 4 || n == 8) ? n : 1;
	element.element_size = element.size;
	if (bt_field_class_type_is(bt_field_get_class_type(field),
				   BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY) &&
	    bt_field_array_dynamic_set_length(field, size / element.size))
		return false;
	for (uint64_t i = 0; i < bt_field_array_get_length(field); i++) {
		element.offset = i * element.size;
		if (rbmap_field_number(&element, &bytes, 0, &number))
			number = 0;
		set_number(bt_field_array_borrow_element_field_by_index(field, i), number,
			   f->flags);
	}
	return true;
}

static bool set_field(bt_field *field, const struct rbmap_format_field *f,
		      const struct rbmap_event *ev)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	const void *data = NULL;
	const char *text = "";
	uint64_t number = 0;
	size_t size = 0;

	if (type == BT_FIELD_CLASS_TYPE_STRING) {
		if (rbmap_field_string(f, ev, &text, &size))
			size = 0;
		return set_text(field, text, size);
	}
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER)) {
		if (rbmap_field_number(f, ev, 0, &number))
			number = 0;
		set_number(field, number, f->flags);
		return true;
	}
	if (rbmap_field_data(f, ev, &data, &size))
		size = 0;
	return set_elements(field, f, data, size);
}

bool values_set_text(bt_field *field, const char *text)
{
	return set_text(field, text, strlen(text));
}

static bool set_context(struct trace *t, bt_field *context, const struct rbmap_event *ev,
			const char *host)
{
	struct rbmap_event_common common = { 0 };
	char idle[IDLE_ROOM] = "<idle>";
	const char *comm;

	event_common(ev, &common);
	if (host)
		snprintf(idle, sizeof(idle), "%s:<idle>", host);
	comm = common.pid ? t->source->comm(t, common.pid) : idle;
	if (!comm)
		comm = "<...>";
	set_number(bt_field_structure_borrow_member_field_by_index(context, 0),
		   (int64_t)common.pid, RBMAP_FIELD_SIGNED);
	set_number(bt_field_structure_borrow_member_field_by_index(context, 2), common.flags, 0);
	set_number(bt_field_structure_borrow_member_field_by_index(context, 3),
		   common.preempt_count, 0);
	return set_text(bt_field_structure_borrow_member_field_by_index(context, 1), comm,
			strlen(comm));
}

bool values_set(struct trace *t, const struct event_class *class, bt_event *event,
		const struct rbmap_event *ev, const char *host)
{
	static const struct rbmap_format_field bytes = {
		.flags = RBMAP_FIELD_ARRAY, .element_size = 1,
	};
	bt_field *payload = bt_event_borrow_payload_field(event);

	if (!set_context(t, bt_event_borrow_common_context_field(event), ev, host))
		return false;
	if (class == &t->unknown)
		return set_field(bt_field_structure_borrow_member_field_by_index(payload, 0),
				 &bytes, ev);
	for (unsigned int i = 0; i < class->nr_fields; i++)
		if (!set_field(bt_field_structure_borrow_member_field_by_index(payload, i),
			       class->field[i], ev))
			return false;
	return true;
}
