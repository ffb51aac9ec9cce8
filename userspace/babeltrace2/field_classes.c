// SPDX-License-Identifier: GPL-2.0-only
#include "field_classes.h"

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
		bt_field_class_array_dynamic_create(in, element, NULL) :
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
