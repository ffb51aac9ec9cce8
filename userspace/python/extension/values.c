// SPDX-License-Identifier: LGPL-2.1-only
#include "values.h"

#include <stdbool.h>

#include "errors.h"

static PyObject *number_of(const struct rbmap_format_field *f, const struct rbmap_event *ev,
			   size_t index)
{
	uint64_t number;
	int ret = rbmap_field_number(f, ev, index, &number);

	if (ret)
		return set_error(ret, NULL);
	return f->flags & RBMAP_FIELD_SIGNED ? PyLong_FromLongLong((int64_t)number) :
					       PyLong_FromUnsignedLongLong(number);
}

static PyObject *numbers_of(const struct rbmap_format_field *f, const struct rbmap_event *ev,
			    size_t nr)
{
	PyObject *tuple = PyTuple_New(nr), *number;

	for (size_t i = 0; tuple && i < nr; i++) {
		number = number_of(f, ev, i);
		/* The tuple takes over the number. */
		if (!number || PyTuple_SetItem(tuple, i, number))
			Py_CLEAR(tuple);
	}
	return tuple;
}

static bool is_number(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

PyObject *value_of(const struct rbmap_format_field *f, const struct rbmap_event *ev)
{
	bool is_array = f->flags & RBMAP_FIELD_ARRAY;
	const char *text;
	const void *data;
	size_t size;
	int ret;

	if (!is_array && is_number(f->size))
		return number_of(f, ev, 0);
	if (f->flags & RBMAP_FIELD_STRING) {
		ret = rbmap_field_string(f, ev, &text, &size);
		return ret ? set_error(ret, NULL) : PyUnicode_DecodeUTF8(text, size, "replace");
	}
	ret = rbmap_field_data(f, ev, &data, &size);
	if (ret)
		return set_error(ret, NULL);
	/* Arrays of bytes are addresses and the like. */
	if (is_array && f->element_size > 1 && is_number(f->element_size))
		return numbers_of(f, ev, size / f->element_size);
	return PyBytes_FromStringAndSize(data, size);
}
