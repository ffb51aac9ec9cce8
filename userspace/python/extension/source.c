// SPDX-License-Identifier: LGPL-2.1-only
#include "source.h"

#include <stdlib.h>
#include <string.h>

#define NR_IDS	65536	/* an id has 16 bits */

static PyObject *text_of(const char *text)
{
	return PyUnicode_DecodeUTF8(text, strlen(text), "replace");
}

static void free_known(struct known *known)
{
	Py_XDECREF(known->system);
	Py_XDECREF(known->name);
	Py_XDECREF(known->index);
	free(known);
}

/* If two fields have one name, the first one has it. */
static int add_index(struct known *known, unsigned int i)
{
	PyObject *name = text_of(rbmap_format_field(known->format, i)->name);
	PyObject *number = PyLong_FromUnsignedLong(i);
	int ret = -1;

	if (name && number)
		ret = PyDict_Contains(known->index, name);
	if (!ret)
		ret = PyDict_SetItem(known->index, name, number);
	Py_XDECREF(name);
	Py_XDECREF(number);
	return ret < 0 ? -1 : 0;
}

static struct known *new_known(const struct rbmap_format *format)
{
	struct known *known = calloc(1, sizeof(*known));

	if (!known) {
		PyErr_NoMemory();
		return NULL;
	}
	known->format = format;
	known->system = text_of(format->system);
	known->name = text_of(format->name);
	known->index = PyDict_New();
	for (unsigned int i = 0; i < format->nr_fields && !PyErr_Occurred(); i++) {
		if (rbmap_format_field(format, i)->flags & RBMAP_FIELD_COMMON)
			known->nr_common = i + 1;
		add_index(known, i);
	}
	if (!PyErr_Occurred())
		return known;
	free_known(known);
	return NULL;
}

struct known *source_known_format(struct source *s, const struct rbmap_format *format)
{
	if (!s->known) {
		s->known = calloc(NR_IDS, sizeof(*s->known));
		if (!s->known) {
			PyErr_NoMemory();
			return NULL;
		}
	}
	if (!s->known[format->id])
		s->known[format->id] = new_known(format);
	return s->known[format->id];
}

struct known *source_known(struct source *s, const struct rbmap_event *ev)
{
	const struct rbmap_format *format = rbmap_formats_of(s->formats, ev);

	return format ? source_known_format(s, format) : NULL;
}

void source_free_known(struct source *s)
{
	for (unsigned int id = 0; s->known && id < NR_IDS; id++)
		if (s->known[id])
			free_known(s->known[id]);
	free(s->known);
	s->known = NULL;
}

void source_count_lost(struct source *s, uint64_t lost)
{
	/* The sum has no room for any number. */
	if (lost == RBMAP_LOST_UNKNOWN || lost > RBMAP_LOST_UNKNOWN - 1 - s->lost)
		s->lost_unknown = true;
	else
		s->lost += lost;
}

void source_count(struct source *s, const struct rbmap_event *ev)
{
	s->events++;
	source_count_lost(s, ev->lost);
}

bool source_usable(const struct source *s)
{
	if (s->closed)
		PyErr_SetString(PyExc_ValueError, "the source of events is closed");
	else if (s->busy)
		PyErr_SetString(PyExc_RuntimeError,
				"another thread reads from this source: each thread opens its own");
	else
		return true;
	return false;
}

void source_close(struct source *s)
{
	s->closed = true;
	if (!s->alive && !s->busy)
		s->release(s);
}

void source_event_gone(struct source *s)
{
	if (!--s->alive && s->closed && !s->busy)
		s->release(s);
}

void object_free(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc do_free = (freefunc)PyType_GetSlot(type, Py_tp_free);

	do_free(self);
	Py_DECREF(type);
}

PyObject *source_get_events(PyObject *self, void *closure)
{
	(void)closure;
	return PyLong_FromUnsignedLongLong(((struct source *)self)->events);
}

PyObject *source_get_lost(PyObject *self, void *closure)
{
	(void)closure;
	return PyLong_FromUnsignedLongLong(((struct source *)self)->lost);
}

PyObject *source_get_lost_unknown(PyObject *self, void *closure)
{
	(void)closure;
	return PyBool_FromLong(((struct source *)self)->lost_unknown);
}

PyObject *source_get_closed(PyObject *self, void *closure)
{
	(void)closure;
	return PyBool_FromLong(((struct source *)self)->closed);
}

/* Return a tuple: name, type, offset, size, element size, flags. */
static PyObject *describe_field(const struct rbmap_format_field *f)
{
	PyObject *name = text_of(f->name), *type = text_of(f->type), *field = NULL;

	if (name && type)
		field = Py_BuildValue("(OOIIII)", name, type, f->offset, f->size,
				      f->element_size, f->flags);
	Py_XDECREF(name);
	Py_XDECREF(type);
	return field;
}

/* Return a tuple: id, system, name, print format, list of fields. */
static PyObject *describe(struct source *s, const struct rbmap_format *format)
{
	struct known *known = source_known_format(s, format);
	PyObject *fields = known ? PyList_New(0) : NULL, *field, *print, *all = NULL;

	for (unsigned int i = 0; fields && i < format->nr_fields; i++) {
		field = describe_field(rbmap_format_field(format, i));
		if (!field || PyList_Append(fields, field))
			Py_CLEAR(fields);
		Py_XDECREF(field);
	}
	print = fields ? text_of(format->print) : NULL;
	if (print)
		all = Py_BuildValue("(IOOOO)", format->id, known->system, known->name, print,
				    fields);
	Py_XDECREF(print);
	Py_XDECREF(fields);
	return all;
}

PyObject *source_list_formats(PyObject *self, PyObject *args)
{
	struct source *s = (struct source *)self;
	const struct rbmap_format *format = NULL;
	PyObject *list, *one;

	(void)args;
	if (!source_usable(s))
		return NULL;
	list = PyList_New(0);
	while (list && (format = rbmap_formats_next(s->formats, format))) {
		one = describe(s, format);
		if (!one || PyList_Append(list, one))
			Py_CLEAR(list);
		Py_XDECREF(one);
	}
	return list;
}
