/* SPDX-License-Identifier: LGPL-2.1-only */
/* Python's stable interface: one binary serves this version and each later one. */
#ifndef RBMAP_PYTHON_H
#define RBMAP_PYTHON_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API	0x030b0000
#include <Python.h>

#endif /* RBMAP_PYTHON_H */
