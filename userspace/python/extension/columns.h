/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The fields of many events, a column for each. Events are added without Python's lock.
 */
#ifndef RBMAP_PYTHON_COLUMNS_H
#define RBMAP_PYTHON_COLUMNS_H

#include "source.h"

struct columns;

/*
 * Return the columns that a list of Python asks for: for each event (id, [index of a
 * field, ...]). NULL: an exception is set.
 */
struct columns *columns_new(struct source *source, PyObject *wanted);
void columns_free(struct columns *columns);

/* Add an event. Return 1, 0 if the event is not wanted, or -ENOMEM. */
int columns_add(struct columns *columns, const struct rbmap_event *ev);

/*
 * Return the columns as Python's objects: for each event a list of (kind, data, strings),
 * where data is a bytearray. The first columns are time, cpu, pid and lost.
 */
PyObject *columns_finish(struct columns *columns);

#endif /* RBMAP_PYTHON_COLUMNS_H */
