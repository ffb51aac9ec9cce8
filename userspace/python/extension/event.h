/* SPDX-License-Identifier: LGPL-2.1-only */
/* The type of an event. An event has a copy of its bytes, and outlives its ring. */
#ifndef RBMAP_PYTHON_EVENT_H
#define RBMAP_PYTHON_EVENT_H

#include "source.h"

/* Add the type to the module. Return 0 or -1. */
int event_add_type(PyObject *module);

/* Return a new event; NULL: an exception is set. */
PyObject *event_new(struct source *source, const struct rbmap_event *ev);

#endif /* RBMAP_PYTHON_EVENT_H */
