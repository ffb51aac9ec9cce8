// SPDX-License-Identifier: LGPL-2.1-only
/* The module _rbmap, which the package rbmap is made of. */
#include "python.h"

#include <rbmap.h>

#include "source.h"

static int add_error(PyObject *module)
{
	rbmap_error = PyErr_NewExceptionWithDoc("rbmap.Error",
		"An error of librbmap. Its attribute code is an RBMAP_ERR number of rbmap.h.",
		NULL, NULL);
	return rbmap_error ? PyModule_AddObjectRef(module, "Error", rbmap_error) : -1;
}

static int add_all(PyObject *module)
{
	if (add_error(module) || event_add_type(module) || recording_add_type(module) ||
	    live_add_type(module))
		return -1;
	return PyModule_AddStringConstant(module, "version", rbmap_version());
}

PyMODINIT_FUNC PyInit__rbmap(void);

PyMODINIT_FUNC PyInit__rbmap(void)
{
	static struct PyModuleDef definition = {
		.m_base = PyModuleDef_HEAD_INIT,
		.m_name = "_rbmap",
		.m_size = -1,
	};
	PyObject *module = PyModule_Create(&definition);

	if (module && add_all(module))
		Py_CLEAR(module);
	return module;
}
