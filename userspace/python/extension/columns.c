// SPDX-License-Identifier: LGPL-2.1-only
#include "columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "event_common.h"
#include "strings.h"

#define NR_IDS		65536	/* an id has 16 bits */
#define NR_HEAD		4	/* columns that each event has: time, cpu, pid, lost */
#define FIRST_ROWS	1024
#define MISSING		(-1)	/* number of a string that is outside of its event */

/**
 * struct column - a column
 * @field: the field; NULL: a column of the head
 * @size: bytes of a value
 * @data: the values
 * @strings: strings that the values are numbers of; or NULL
 */
struct column {
	const struct rbmap_format_field *field;
	size_t size;
	unsigned char *data;
	struct strings *strings;
};

/**
 * struct table - the columns of an event
 * @missing: values that were outside of their events
 */
struct table {
	struct column *column;
	size_t nr_columns;
	size_t nr_rows;
	size_t room;
	uint64_t missing;
};

struct columns {
	struct table *table;
	size_t nr_tables;
	struct table *by_id[NR_IDS];
};

/* ---- make */

static bool has_strings(const struct rbmap_format_field *f)
{
	return f->flags & (RBMAP_FIELD_STRING | RBMAP_FIELD_DYNAMIC) || !f->size;
}

static int add_field(struct table *t, const struct rbmap_format *format, PyObject *number)
{
	unsigned long index = PyLong_AsUnsignedLong(number);
	const struct rbmap_format_field *f;
	struct column *c = &t->column[t->nr_columns];

	if (PyErr_Occurred())
		return -1;
	f = index < format->nr_fields ? rbmap_format_field(format, index) : NULL;
	if (!f) {
		PyErr_SetString(PyExc_IndexError, "the event has fewer fields");
		return -1;
	}
	c->field = f;
	c->size = has_strings(f) ? sizeof(int32_t) : f->size;
	c->strings = has_strings(f) ? strings_new() : NULL;
	if (has_strings(f) && !c->strings) {
		PyErr_NoMemory();
		return -1;
	}
	t->nr_columns++;
	return 0;
}

static int init_table(struct table *t, const struct rbmap_format *format, PyObject *fields)
{
	static const size_t head[NR_HEAD] = { 8, 4, 4, 8 };
	Py_ssize_t nr = PyList_Size(fields);

	if (nr < 0)
		return -1;
	t->column = calloc(NR_HEAD + nr, sizeof(*t->column));
	if (!t->column) {
		PyErr_NoMemory();
		return -1;
	}
	for (size_t i = 0; i < NR_HEAD; i++)
		t->column[t->nr_columns++].size = head[i];
	for (Py_ssize_t i = 0; i < nr; i++)
		if (add_field(t, format, PyList_GetItem(fields, i)))
			return -1;
	return 0;
}

static int add_table(struct columns *columns, struct source *source, PyObject *one)
{
	struct table *t = &columns->table[columns->nr_tables];
	const struct rbmap_format *format;
	unsigned int id;
	PyObject *fields;

	if (!PyArg_ParseTuple(one, "IO!", &id, &PyList_Type, &fields))
		return -1;
	format = rbmap_formats_by_id(source->formats, id);
	if (!format || columns->by_id[id]) {
		PyErr_SetString(PyExc_ValueError, "an event is unknown, or asked for twice");
		return -1;
	}
	columns->nr_tables++;
	columns->by_id[id] = t;
	return init_table(t, format, fields);
}

struct columns *columns_new(struct source *source, PyObject *wanted)
{
	struct columns *columns = calloc(1, sizeof(*columns));
	Py_ssize_t nr = PyList_Size(wanted);
	int ret = nr < 0 ? -1 : 0;

	if (columns && nr >= 0)
		columns->table = calloc(nr + 1, sizeof(*columns->table));
	if (!columns || (nr >= 0 && !columns->table)) {
		PyErr_NoMemory();
		ret = -1;
	}
	for (Py_ssize_t i = 0; i < nr && !ret; i++)
		ret = add_table(columns, source, PyList_GetItem(wanted, i));
	if (!ret)
		return columns;
	columns_free(columns);
	return NULL;
}

void columns_free(struct columns *columns)
{
	for (size_t i = 0; columns && i < columns->nr_tables; i++) {
		struct table *t = &columns->table[i];

		for (size_t j = 0; j < t->nr_columns; j++) {
			strings_free(t->column[j].strings);
			free(t->column[j].data);
		}
		free(t->column);
	}
	if (columns)
		free(columns->table);
	free(columns);
}

/* ---- add */

static int make_room(struct table *t)
{
	size_t room = t->room ? 2 * t->room : FIRST_ROWS;

	for (size_t i = 0; i < t->nr_columns; i++) {
		struct column *c = &t->column[i];
		unsigned char *more = reallocarray(c->data, room, c->size ? c->size : 1);

		if (!more)
			return -ENOMEM;
		c->data = more;
	}
	t->room = room;
	return 0;
}

static int add_string(struct table *t, struct column *c, const struct rbmap_event *ev,
		      unsigned char *to)
{
	int32_t number = MISSING;
	const void *data;
	int64_t found;
	size_t size;

	if (rbmap_field_data(c->field, ev, &data, &size)) {
		t->missing++;
	} else {
		if (c->field->flags & RBMAP_FIELD_STRING)
			size = strnlen(data, size);
		found = strings_number(c->strings, data, size);
		if (found < 0)
			return -ENOMEM;
		number = found;
	}
	memcpy(to, &number, sizeof(number));
	return 0;
}

/* A value outside of its event is 0. */
static int add_value(struct table *t, struct column *c, const struct rbmap_event *ev)
{
	unsigned char *to = c->data + t->nr_rows * c->size;
	const struct rbmap_format_field *f = c->field;

	if (c->strings)
		return add_string(t, c, ev, to);
	if (f->offset > ev->size || c->size > ev->size - f->offset) {
		memset(to, 0, c->size);
		t->missing++;
	} else {
		memcpy(to, (const char *)ev->data + f->offset, c->size);
	}
	return 0;
}

static void add_head(struct table *t, const struct rbmap_event *ev, int32_t pid)
{
	int32_t cpu = ev->cpu;

	memcpy(t->column[0].data + 8 * t->nr_rows, &ev->ts, 8);
	memcpy(t->column[1].data + 4 * t->nr_rows, &cpu, 4);
	memcpy(t->column[2].data + 4 * t->nr_rows, &pid, 4);
	memcpy(t->column[3].data + 8 * t->nr_rows, &ev->lost, 8);
}

int columns_add(struct columns *columns, const struct rbmap_event *ev)
{
	struct table *t;
	struct rbmap_event_common common;
	int ret = 0;

	if (!event_common(ev, &common))
		return 0;
	t = columns->by_id[common.type];
	if (!t)
		return 0;
	if (t->nr_rows == t->room)
		ret = make_room(t);
	if (ret)
		return ret;
	add_head(t, ev, common.pid);
	for (size_t i = NR_HEAD; i < t->nr_columns && !ret; i++)
		ret = add_value(t, &t->column[i], ev);
	t->nr_rows++;
	return ret ? ret : 1;
}

/* ---- finish */

static PyObject *list_strings(const struct column *c)
{
	bool is_text = c->field->flags & RBMAP_FIELD_STRING;
	size_t nr = strings_count(c->strings);
	PyObject *list = PyList_New(nr), *one;

	for (size_t i = 0; list && i < nr; i++) {
		struct string s = strings_get(c->strings, i);

		one = is_text ? PyUnicode_DecodeUTF8(s.text, s.len, "replace") :
				PyBytes_FromStringAndSize(s.text, s.len);
		/* The list takes over the string. */
		if (!one || PyList_SetItem(list, i, one))
			Py_CLEAR(list);
	}
	return list;
}

/* Return (bytearray, list of strings or None), and free the column's own data. */
static PyObject *finish_column(const struct table *t, struct column *c)
{
	PyObject *data = PyByteArray_FromStringAndSize((char *)c->data, t->nr_rows * c->size);
	PyObject *list = NULL, *both = NULL;

	free(c->data);
	c->data = NULL;
	if (data)
		list = c->strings ? list_strings(c) : Py_NewRef(Py_None);
	if (list)
		both = PyTuple_Pack(2, data, list);
	Py_XDECREF(data);
	Py_XDECREF(list);
	return both;
}

/* Return (rows, missing values, list of columns). */
static PyObject *finish_table(struct table *t)
{
	PyObject *list = PyList_New(t->nr_columns), *column, *all;

	for (size_t i = 0; list && i < t->nr_columns; i++) {
		column = finish_column(t, &t->column[i]);
		if (!column || PyList_SetItem(list, i, column))
			Py_CLEAR(list);
	}
	if (!list)
		return NULL;
	all = Py_BuildValue("(nKO)", (Py_ssize_t)t->nr_rows, (unsigned long long)t->missing,
			    list);
	Py_DECREF(list);
	return all;
}

PyObject *columns_finish(struct columns *columns)
{
	PyObject *list = PyList_New(columns->nr_tables), *table;

	for (size_t i = 0; list && i < columns->nr_tables; i++) {
		table = finish_table(&columns->table[i]);
		if (!table || PyList_SetItem(list, i, table))
			Py_CLEAR(list);
	}
	return list;
}
