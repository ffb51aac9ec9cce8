// SPDX-License-Identifier: LGPL-2.1-only
#include "python.h"

#include <errno.h>
#include <stdbool.h>

/* ---- errors */

PyObject *rbmap_error;

static void set_library_error(int error, PyObject *path)
{
	const char *text = rbmap_strerror(error);
	PyObject *code = PyLong_FromLong(error), *exception, *message;

	message = path ? PyUnicode_FromFormat("%S: %s", path, text) : PyUnicode_FromString(text);
	exception = code && message ? PyObject_CallFunctionObjArgs(rbmap_error, message, NULL) :
				      NULL;
	if (exception && !PyObject_SetAttrString(exception, "code", code))
		PyErr_SetObject(rbmap_error, exception);
	Py_XDECREF(exception);
	Py_XDECREF(message);
	Py_XDECREF(code);
}

PyObject *set_error(int error, PyObject *path)
{
	if (error == -ENOMEM)
		return PyErr_NoMemory();
	if (error == RBMAP_ERR_PERMISSION)
		error = -EACCES;
	if (error <= RBMAP_ERR_NOT_LOADED) {
		set_library_error(error, path);
		return NULL;
	}
	errno = -error;
	return path ? PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path) :
		      PyErr_SetFromErrno(PyExc_OSError);
}

/* ---- values */

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
