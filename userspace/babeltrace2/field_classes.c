// SPDX-License-Identifier: GPL-2.0-only
#include "components.h"
#include "field_classes.h"

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
