/* SPDX-License-Identifier: LGPL-2.1-only */
#ifndef RBMAP_PYTHON_VALUES_H
#define RBMAP_PYTHON_VALUES_H

#include "python.h"

#include <rbmap.h>

/*
 * Return the value of a field: int, str, a tuple of int, or bytes. If it lies outside of
 * the event, set rbmap.Error and return NULL.
 */
PyObject *value_of(const struct rbmap_format_field *field, const struct rbmap_event *ev);

#endif /* RBMAP_PYTHON_VALUES_H */
