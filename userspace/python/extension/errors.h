/* SPDX-License-Identifier: LGPL-2.1-only */
#ifndef RBMAP_PYTHON_ERRORS_H
#define RBMAP_PYTHON_ERRORS_H

#include "python.h"

extern PyObject *rbmap_error;	/* the exception rbmap.Error */

/*
 * Set the exception of an error of librbmap: OSError for an errno, with the name of the
 * file if there is one; else rbmap.Error. Return NULL.
 */
PyObject *set_error(int error, PyObject *path);

#endif /* RBMAP_PYTHON_ERRORS_H */
