// SPDX-License-Identifier: LGPL-2.1-only
#include "source.h"

#include <stdio.h>
#include <string.h>

#include <linux/rbmap.h>

#include "event_common.h"

struct event {
	PyObject_VAR_HEAD
	struct source *source;
	struct known *known;	/* NULL: the format is unknown */
	uint64_t ts;
	uint64_t lost;
	int cpu;
	unsigned int buffer;
	unsigned char data[];
};

static PyTypeObject *event_type;

PyObject *event_new(struct source *source, const struct rbmap_event *ev)
{
	struct known *known = source_known(source, ev);
	struct event *event;

	if (!known && PyErr_Occurred())
		return NULL;
	event = PyObject_NewVar(struct event, event_type, ev->size);
	if (!event)
		return NULL;
	event->source = source;
	Py_INCREF((PyObject *)source);
	event->known = known;
	event->ts = ev->ts;
	event->lost = ev->lost;
	event->cpu = ev->cpu;
	event->buffer = source->buffer ? source->buffer(source) : 0;
	memcpy(event->data, ev->data, ev->size);
	source->alive++;
	return (PyObject *)event;
}

static void event_dealloc(PyObject *self)
{
	struct source *source = ((struct event *)self)->source;

	object_free(self);
	source_event_gone(source);
	Py_DECREF(source);
}

static struct rbmap_event view(PyObject *self)
{
	struct event *event = (struct event *)self;

	return (struct rbmap_event){
		.ts = event->ts, .data = event->data, .size = Py_SIZE(self),
		.cpu = event->cpu, .lost = event->lost,
	};
}

static bool has_common(PyObject *self, struct rbmap_event_common *common)
{
	const struct rbmap_event ev = view(self);

	memset(common, 0, sizeof(*common));
	return event_common(&ev, common);
}

/* ---- attributes */

static PyObject *get_known(PyObject *self, void *offset)
{
	struct known *known = ((struct event *)self)->known;

	if (!known)
		Py_RETURN_NONE;
	return Py_NewRef(*(PyObject **)((char *)known + (size_t)offset));
}

static PyObject *get_time(PyObject *self, void *closure)
{
	(void)closure;
	return PyLong_FromUnsignedLongLong(((struct event *)self)->ts);
}

static PyObject *get_cpu(PyObject *self, void *closure)
{
	(void)closure;
	return PyLong_FromLong(((struct event *)self)->cpu);
}

static PyObject *get_lost(PyObject *self, void *closure)
{
	uint64_t lost = ((struct event *)self)->lost;

	(void)closure;
	if (lost == RBMAP_LOST_UNKNOWN)
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLongLong(lost);
}

static PyObject *get_data(PyObject *self, void *closure)
{
	(void)closure;
	return PyBytes_FromStringAndSize((char *)((struct event *)self)->data, Py_SIZE(self));
}

enum common_part { COMMON_TYPE, COMMON_PID, COMMON_FLAGS, COMMON_PREEMPT };

static PyObject *get_common(PyObject *self, void *part)
{
	struct rbmap_event_common common;

	if (!has_common(self, &common))
		Py_RETURN_NONE;
	switch ((size_t)part) {
	case COMMON_TYPE:
		return PyLong_FromLong(common.type);
	case COMMON_PID:
		return PyLong_FromLong(common.pid);
	case COMMON_FLAGS:
		return PyLong_FromLong(common.flags);
	}
	return PyLong_FromLong(common.preempt_count);
}

static const char *host_of(PyObject *self)
{
	const struct event *event = (struct event *)self;

	return event->source->host ? event->source->host(event->source, event->cpu) : NULL;
}

static PyObject *get_host(PyObject *self, void *closure)
{
	const char *host = host_of(self);

	(void)closure;
	if (!host)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(host, strlen(host), "replace");
}

static PyObject *get_comm(PyObject *self, void *closure)
{
	struct source *source = ((struct event *)self)->source;
	const char *comm = NULL, *host = host_of(self);
	struct rbmap_event_common common;
	char room[64];

	(void)closure;
	if (has_common(self, &common)) {
		snprintf(room, sizeof(room), "%s%s<idle>", host ? host : "", host ? ":" : "");
		comm = common.pid ? source->comm(source, common.pid, room) : room;
	}
	if (!comm)
		comm = "<...>";
	return PyUnicode_DecodeUTF8(comm, strlen(comm), "replace");
}

static PyObject *get_buffer(PyObject *self, void *closure)
{
	struct source *source = ((struct event *)self)->source;
	const char *name = source->buffer_name ?
		source->buffer_name(source, ((struct event *)self)->buffer) : NULL;

	(void)closure;
	if (!name || !*name)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(name, strlen(name), "replace");
}

static PyGetSetDef getters[] = {
	{ "name", get_known, NULL, "name of the event; None: the format is unknown",
	  (void *)offsetof(struct known, name) },
	{ "system", get_known, NULL, "system of the event; None: the format is unknown",
	  (void *)offsetof(struct known, system) },
	{ "time", get_time, NULL, "the ring's time: ns, or cycles of the clock x86-tsc", NULL },
	{ "cpu", get_cpu, NULL, "number of the CPU", NULL },
	{ "host", get_host, NULL, "the host of the CPU, in a merged recording; None: one host", NULL },
	{ "buffer", get_buffer, NULL, "name of the buffer; None: it has no name", NULL },
	{ "lost", get_lost, NULL,
	  "number of events that the CPU lost just before; None: an unknown number", NULL },
	{ "data", get_data, NULL, "all bytes of the event", NULL },
	{ "id", get_common, NULL, "number of the format", (void *)COMMON_TYPE },
	{ "pid", get_common, NULL, "the thread that ran", (void *)COMMON_PID },
	{ "flags", get_common, NULL, "state of the CPU, see rbmap-json(5)", (void *)COMMON_FLAGS },
	{ "preempt_count", get_common, NULL, "depth of disabled preemption",
	  (void *)COMMON_PREEMPT },
	{ "comm", get_comm, NULL, "name of the thread; '<...>': unknown", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

/* ---- fields */

/* Return the field of that name; NULL: none, or an exception is set. */
static const struct rbmap_format_field *find_field(PyObject *self, PyObject *name)
{
	struct known *known = ((struct event *)self)->known;
	PyObject *index = known ? PyDict_GetItemWithError(known->index, name) : NULL;

	return index ? rbmap_format_field(known->format, PyLong_AsUnsignedLong(index)) : NULL;
}

static PyObject *get_item(PyObject *self, PyObject *name)
{
	const struct rbmap_format_field *field = find_field(self, name);
	struct rbmap_event ev = view(self);

	if (field)
		return value_of(field, &ev);
	if (!PyErr_Occurred())
		PyErr_SetObject(PyExc_KeyError, name);
	return NULL;
}

static int contains(PyObject *self, PyObject *name)
{
	if (find_field(self, name))
		return 1;
	return PyErr_Occurred() ? -1 : 0;
}

static Py_ssize_t nr_fields(PyObject *self)
{
	struct known *known = ((struct event *)self)->known;

	return known ? known->format->nr_fields - known->nr_common : 0;
}

/* An event is true, whatever fields it has. */
static int is_true(PyObject *self)
{
	(void)self;
	return 1;
}

/* Return a list of the event's own fields: names, or with their values. */
static PyObject *own_fields(PyObject *self, bool with_values)
{
	struct known *known = ((struct event *)self)->known;
	PyObject *all = with_values ? PyDict_New() : PyList_New(0), *value;
	unsigned int i = known ? known->nr_common : 0;
	struct rbmap_event ev = view(self);

	for (; all && known && i < known->format->nr_fields; i++) {
		const struct rbmap_format_field *f = rbmap_format_field(known->format, i);
		int ret = -1;

		value = with_values ? value_of(f, &ev) :
				      PyUnicode_DecodeUTF8(f->name, strlen(f->name), "replace");
		if (value)
			ret = with_values ? PyDict_SetItemString(all, f->name, value) :
					    PyList_Append(all, value);
		Py_XDECREF(value);
		if (ret)
			Py_CLEAR(all);
	}
	return all;
}

static PyObject *keys(PyObject *self, PyObject *args)
{
	(void)args;
	return own_fields(self, false);
}

static PyObject *fields(PyObject *self, PyObject *args)
{
	(void)args;
	return own_fields(self, true);
}

static PyObject *get(PyObject *self, PyObject *args)
{
	const struct rbmap_format_field *field;
	PyObject *name, *otherwise = Py_None;
	struct rbmap_event ev = view(self);

	if (!PyArg_ParseTuple(args, "O|O:get", &name, &otherwise))
		return NULL;
	field = find_field(self, name);
	if (field)
		return value_of(field, &ev);
	return PyErr_Occurred() ? NULL : Py_NewRef(otherwise);
}

static PyMethodDef methods[] = {
	{ "keys", keys, METH_NOARGS, "keys() -> the names of the event's own fields" },
	{ "fields", fields, METH_NOARGS, "fields() -> a dict of the event's own fields" },
	{ "get", get, METH_VARARGS, "get(name, default=None) -> the field, or the default" },
	{ NULL, NULL, 0, NULL },
};

static PyObject *repr(PyObject *self)
{
	struct event *event = (struct event *)self;
	struct rbmap_event_common common;

	has_common(self, &common);
	return PyUnicode_FromFormat("<rbmap.Event %S:%S time=%llu cpu=%d pid=%d>",
				    event->known ? event->known->system : Py_None,
				    event->known ? event->known->name : Py_None,
				    (unsigned long long)event->ts, event->cpu, (int)common.pid);
}

int event_add_type(PyObject *module)
{
	static PyType_Slot slots[] = {
		{ Py_tp_doc, "An event. event['FIELD'] is the value of a field: an int, a str, a\n"
			     "tuple of int, or bytes." },
		{ Py_tp_dealloc, event_dealloc },
		{ Py_tp_getset, getters },
		{ Py_tp_methods, methods },
		{ Py_tp_repr, repr },
		{ Py_mp_subscript, get_item },
		{ Py_mp_length, nr_fields },
		{ Py_sq_contains, contains },
		{ Py_nb_bool, is_true },
		{ 0, NULL },
	};
	static PyType_Spec spec = {
		.name = "rbmap.Event",
		.basicsize = sizeof(struct event),
		.itemsize = 1,
		.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
		.slots = slots,
	};

	event_type = (PyTypeObject *)PyType_FromSpec(&spec);
	return event_type ? PyModule_AddObjectRef(module, "Event", (PyObject *)event_type) : -1;
}
