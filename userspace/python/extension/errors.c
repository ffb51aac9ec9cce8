// SPDX-License-Identifier: LGPL-2.1-only
#include "errors.h"

#include <errno.h>
#include <rbmap.h>

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
