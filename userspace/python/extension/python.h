/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Python's stable interface: one binary serves this version and each later one. Errors and
 * values of librbmap as Python's objects.
 */
#ifndef RBMAP_PYTHON_H
#define RBMAP_PYTHON_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API	0x030b0000
#include <Python.h>

#include <rbmap.h>

extern PyObject *rbmap_error;	/* the exception rbmap.Error */

/*
 * Set the exception of an error of librbmap: OSError for an errno, with the name of the
 * file if there is one; else rbmap.Error. Return NULL.
 */
PyObject *set_error(int error, PyObject *path);

/*
 * Return the value of a field: int, str, a tuple of int, or bytes. If it lies outside of
 * the event, set rbmap.Error and return NULL.
 */
PyObject *value_of(const struct rbmap_format_field *field, const struct rbmap_event *ev);

#endif /* RBMAP_PYTHON_H */
