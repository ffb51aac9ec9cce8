/* SPDX-License-Identifier: LGPL-2.1-only */
#ifndef RBMAP_PYTHON_RECORDING_H
#define RBMAP_PYTHON_RECORDING_H

#include "python.h"

/* Add the type to the module. Return 0 or -1. */
int recording_add_type(PyObject *module);

#endif /* RBMAP_PYTHON_RECORDING_H */
