// SPDX-License-Identifier: LGPL-2.1-only
/* The type _rbmap.Recording. rbmap/recording.py makes the public class of it. */
#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"

#define CHECK_EVERY	(1u << 20)	/* events, between looks at signals */

struct recording {
	struct source source;
	struct rbmap_recording *r;
	PyObject *path;
	uint64_t pass;		/* number of the iteration that may go on */
	bool ended;		/* the losses after the last events are counted */
};

static struct recording *of(PyObject *self)
{
	return (struct recording *)self;
}

/* ---- open and close */

static const char *comm(struct source *source, int pid, char room[64])
{
	(void)room;
	return rbmap_recording_comm(((struct recording *)source)->r, pid);
}

static const char *host(struct source *source, unsigned int cpu)
{
	return rbmap_recording_host(((struct recording *)source)->r, cpu);
}

static unsigned int buffer(struct source *source)
{
	return rbmap_recording_event_buffer(((struct recording *)source)->r);
}

static const char *buffer_name(struct source *source, unsigned int i)
{
	return rbmap_recording_buffer_name(((struct recording *)source)->r, i);
}

static void release(struct source *source)
{
	struct recording *rec = (struct recording *)source;

	source_free_known(source);
	rbmap_recording_close(rec->r);
	rec->r = NULL;
}

static PyObject *new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	PyObject *self = alloc(type, 0);

	(void)args;
	(void)kwargs;
	if (!self)
		return NULL;
	of(self)->source.comm = comm;
	of(self)->source.host = host;
	of(self)->source.buffer = buffer;
	of(self)->source.buffer_name = buffer_name;
	of(self)->source.release = release;
	of(self)->source.closed = true;
	return self;
}

static int init(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "path", NULL };
	struct recording *rec = of(self);
	PyObject *path, *bytes = NULL;
	int ret;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:Recording", names, &path) ||
	    !PyUnicode_FSConverter(path, &bytes))
		return -1;
	if (rec->r) {
		PyErr_SetString(PyExc_RuntimeError, "the recording is open already");
		ret = -1;
	} else {
		Py_BEGIN_ALLOW_THREADS
		ret = rbmap_recording_open(&rec->r, PyBytes_AsString(bytes), 0);
		Py_END_ALLOW_THREADS
		if (ret)
			set_error(ret, path);
	}
	Py_DECREF(bytes);
	if (ret)
		return -1;
	rec->path = Py_NewRef(path);
	rec->source.formats = rbmap_recording_formats(rec->r);
	rec->source.closed = false;
	return 0;
}

static void dealloc(PyObject *self)
{
	release(&of(self)->source);
	Py_CLEAR(of(self)->path);
	object_free(self);
}

static PyObject *close_it(PyObject *self, PyObject *args)
{
	(void)args;
	if (of(self)->source.busy)
		return source_usable(&of(self)->source), NULL;
	source_close(&of(self)->source);
	Py_RETURN_NONE;
}

/* ---- iterate */

static void begin_pass(struct recording *rec)
{
	rbmap_recording_rewind(rec->r);
	rec->pass++;
	rec->ended = false;
	rec->source.events = 0;
	rec->source.lost = 0;
	rec->source.lost_unknown = false;
}

/* Return 1: an event, 0: the end, or an error of the library. */
static int next(struct recording *rec, struct rbmap_event *ev)
{
	int ret = rbmap_recording_next(rec->r, ev);

	if (ret == 1)
		source_count(&rec->source, ev);
	if (ret || rec->ended)
		return ret;
	rec->ended = true;
	for (unsigned int cpu = 0; cpu < rbmap_recording_cpus(rec->r); cpu++)
		source_count_lost(&rec->source, rbmap_recording_lost_last(rec->r, cpu));
	return 0;
}

struct iterator {
	PyObject_HEAD
	struct recording *rec;
	uint64_t pass;
};

static PyTypeObject *iterator_type;

static PyObject *iterate(PyObject *self)
{
	struct iterator *it;

	if (!source_usable(&of(self)->source))
		return NULL;
	begin_pass(of(self));
	it = PyObject_GC_New(struct iterator, iterator_type);
	if (!it)
		return NULL;
	it->rec = (struct recording *)Py_NewRef(self);
	it->pass = of(self)->pass;
	PyObject_GC_Track(it);
	return (PyObject *)it;
}

/* Return whether no other pass has begun since. If not, set an exception. */
static bool pass_goes_on(const struct recording *rec, uint64_t pass)
{
	if (pass == rec->pass)
		return true;
	PyErr_SetString(PyExc_RuntimeError,
			"another iteration of this recording has begun: open it twice");
	return false;
}

static PyObject *iterator_next(PyObject *self)
{
	struct iterator *it = (struct iterator *)self;
	struct recording *rec = it->rec;
	struct rbmap_event ev;
	int ret;

	if (!source_usable(&rec->source) || !pass_goes_on(rec, it->pass))
		return NULL;
	ret = next(rec, &ev);
	if (ret < 0)
		return set_error(ret, rec->path);
	return ret ? event_new(&rec->source, &ev) : NULL;
}

/*
 * So the garbage collector finds a recording that has its own iterator as an attribute. Events are
 * not tracked. That would make each of them 9 % slower, and lists of them twice as slow.
 */
static int iterator_traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(((struct iterator *)self)->rec);
	return 0;
}

static void iterator_dealloc(PyObject *self)
{
	PyObject_GC_UnTrack(self);
	Py_DECREF(((struct iterator *)self)->rec);
	object_free(self);
}

static PyObject *iterator_self(PyObject *self)
{
	return Py_NewRef(self);
}

/* ---- columns */

/*
 * Read events, without Python's lock, until @rows of them are wanted ones or @most were
 * read. Return 1, 0 at the end, or an error of the library.
 */
static int collect(struct recording *rec, struct columns *columns, uint64_t rows,
		   uint64_t *got, unsigned int most)
{
	struct rbmap_event ev;
	int ret = 1;

	while (*got < rows && most-- && ret > 0) {
		ret = next(rec, &ev);
		if (ret == 1) {
			int added = columns_add(columns, &ev);

			*got += added == 1;
			ret = added < 0 ? added : 1;
		}
	}
	return ret;
}

/* Read until there are so many rows, or to the end. Return as collect(); -1: exception. */
static int collect_all(struct recording *rec, struct columns *columns, uint64_t rows)
{
	uint64_t got = 0;
	int ret = 1;

	while (ret > 0 && got < rows) {
		rec->source.busy = true;
		Py_BEGIN_ALLOW_THREADS
		ret = collect(rec, columns, rows, &got, CHECK_EVERY);
		Py_END_ALLOW_THREADS
		rec->source.busy = false;
		if (PyErr_CheckSignals())
			return -1;
	}
	if (ret < 0) {
		set_error(ret, rec->path);
		return -1;
	}
	return ret;
}

/*
 * _columns(wanted, rows, pass) -> (whether there may be more events, tables). _rewind() has
 * returned the pass.
 */
static PyObject *read_columns(PyObject *self, PyObject *args)
{
	PyObject *wanted, *tables = NULL, *all = NULL;
	struct columns *columns;
	unsigned long long rows, pass;
	int ret;

	if (!PyArg_ParseTuple(args, "O!KK:_columns", &PyList_Type, &wanted, &rows, &pass) ||
	    !source_usable(&of(self)->source) || !pass_goes_on(of(self), pass))
		return NULL;
	columns = columns_new(&of(self)->source, wanted);
	if (!columns)
		return NULL;
	ret = collect_all(of(self), columns, rows);
	if (ret >= 0)
		tables = columns_finish(columns);
	columns_free(columns);
	if (tables)
		all = Py_BuildValue("(OO)", ret ? Py_True : Py_False, tables);
	Py_XDECREF(tables);
	return all;
}

/* _rewind() -> the number of the pass that begins */
static PyObject *rewind_it(PyObject *self, PyObject *args)
{
	(void)args;
	if (!source_usable(&of(self)->source))
		return NULL;
	begin_pass(of(self));
	return PyLong_FromUnsignedLongLong(of(self)->pass);
}

/* ---- what is known of the recording */

static PyObject *text_or_none(const char *text)
{
	if (!text)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(text, strlen(text), "replace");
}

static PyObject *moment(const struct rbmap_moment *m)
{
	if (!m)
		Py_RETURN_NONE;
	return Py_BuildValue("(KKKLK)", (unsigned long long)m->ring, (unsigned long long)m->real,
			     (unsigned long long)m->boot, (long long)m->tai_offset,
			     (unsigned long long)m->error);
}

/* _buffers() -> list of (number, name) of the buffers with data */
static PyObject *buffers(PyObject *self, PyObject *args)
{
	struct rbmap_recording *r = of(self)->r;
	PyObject *list, *one;

	(void)args;
	if (!source_usable(&of(self)->source))
		return NULL;
	list = PyList_New(0);
	for (unsigned int i = 0; list && i < rbmap_recording_buffers(r); i++) {
		if (!rbmap_recording_buffer_cpus(r, i))
			continue;
		one = Py_BuildValue("(IN)", i, text_or_none(rbmap_recording_buffer_name(r, i)));
		if (!one || PyList_Append(list, one))
			Py_CLEAR(list);
		Py_XDECREF(one);
	}
	return list;
}

/* _choose(number): read one buffer alone */
static PyObject *choose(PyObject *self, PyObject *args)
{
	unsigned int number;
	int ret;

	if (!PyArg_ParseTuple(args, "I:_choose", &number) || !source_usable(&of(self)->source))
		return NULL;
	begin_pass(of(self));
	ret = rbmap_recording_choose_buffer(of(self)->r, number);
	if (ret)
		return set_error(ret, of(self)->path);
	Py_RETURN_NONE;
}

/* _info() -> (cpus, clock, uname, reason, whether times are dated, begin, trigger, end) */
static PyObject *info(PyObject *self, PyObject *args)
{
	struct rbmap_recording *r = of(self)->r;

	(void)args;
	if (!source_usable(&of(self)->source))
		return NULL;
	return Py_BuildValue("(INNNNNNN)", rbmap_recording_cpus(r),
			     text_or_none(rbmap_recording_clock(r)),
			     text_or_none(rbmap_recording_uname(r)),
			     text_or_none(rbmap_recording_reason(r)),
			     PyBool_FromLong(rbmap_recording_is_dated(r)),
			     moment(rbmap_recording_moment(r, RBMAP_MOMENT_BEGIN)),
			     moment(rbmap_recording_moment(r, RBMAP_MOMENT_TRIGGER)),
			     moment(rbmap_recording_moment(r, RBMAP_MOMENT_END)));
}

/* _damage() -> (missing, broken, formats, lacking, unfinished, busy) */
static PyObject *damage(PyObject *self, PyObject *args)
{
	const struct rbmap_damage *d;

	(void)args;
	if (!source_usable(&of(self)->source))
		return NULL;
	d = rbmap_recording_damage(of(self)->r);
	return Py_BuildValue("(KKIINN)", (unsigned long long)d->missing,
			     (unsigned long long)d->broken, d->formats, d->lacking,
			     PyBool_FromLong(d->unfinished), PyBool_FromLong(d->busy));
}

static PyObject *host_of(PyObject *self, PyObject *args)
{
	unsigned int cpu;

	if (!PyArg_ParseTuple(args, "I:host", &cpu) || !source_usable(&of(self)->source))
		return NULL;
	return text_or_none(rbmap_recording_host(of(self)->r, cpu));
}

static PyObject *comm_of(PyObject *self, PyObject *args)
{
	int pid;

	if (!PyArg_ParseTuple(args, "i:comm", &pid) || !source_usable(&of(self)->source))
		return NULL;
	return text_or_none(pid ? rbmap_recording_comm(of(self)->r, pid) : "<idle>");
}

static PyObject *cgroup_of(PyObject *self, PyObject *args)
{
	int pid;

	if (!PyArg_ParseTuple(args, "i:cgroup", &pid) || !source_usable(&of(self)->source))
		return NULL;
	return text_or_none(rbmap_recording_cgroup(of(self)->r, pid));
}

static PyObject *ns_pid_of(PyObject *self, PyObject *args)
{
	int pid;

	if (!PyArg_ParseTuple(args, "i:ns_pid", &pid) || !source_usable(&of(self)->source))
		return NULL;
	pid = rbmap_recording_ns_pid(of(self)->r, pid);
	if (!pid)
		Py_RETURN_NONE;
	return PyLong_FromLong(pid);
}

static PyObject *device_of(PyObject *self, PyObject *args)
{
	unsigned int dev;

	if (!PyArg_ParseTuple(args, "I:device", &dev) || !source_usable(&of(self)->source))
		return NULL;
	return text_or_none(rbmap_recording_device(of(self)->r, dev));
}

static PyObject *get_path(PyObject *self, void *closure)
{
	(void)closure;
	return Py_NewRef(of(self)->path ? of(self)->path : Py_None);
}

static PyObject *get_done(PyObject *self, void *closure)
{
	(void)closure;
	if (!source_usable(&of(self)->source))
		return NULL;
	return PyFloat_FromDouble(rbmap_recording_done(of(self)->r));
}

static PyGetSetDef getters[] = {
	SOURCE_GETTERS,
	{ "path", get_path, NULL, "the path, as it was passed", NULL },
	{ "done", get_done, NULL, "the part of the data that was read, from 0 to 1", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef methods[] = {
	{ "close", close_it, METH_NOARGS, "close() closes the file; events stay valid" },
	{ "host", host_of, METH_VARARGS,
	  "host(cpu) -> the host of a CPU in a recording of rbmap fleet merge; None: one host" },
	{ "comm", comm_of, METH_VARARGS, "comm(pid) -> the name of a thread; None: unknown" },
	{ "cgroup", cgroup_of, METH_VARARGS, "cgroup(pid) -> the path of a thread's cgroup; None: unknown" },
	{ "ns_pid", ns_pid_of, METH_VARARGS,
	  "ns_pid(pid) -> its number in its own PID namespace; None: the same, or unknown" },
	{ "device", device_of, METH_VARARGS,
	  "device(dev) -> the name of a block device, from the number of a field; None: unknown" },
	{ "_buffers", buffers, METH_NOARGS, NULL },
	{ "_choose", choose, METH_VARARGS, NULL },
	{ "_columns", read_columns, METH_VARARGS, NULL },
	{ "_damage", damage, METH_NOARGS, NULL },
	{ "_formats", source_list_formats, METH_NOARGS, NULL },
	{ "_info", info, METH_NOARGS, NULL },
	{ "_rewind", rewind_it, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyTypeObject *new_iterator_type(void)
{
	static PyType_Slot slots[] = {
		{ Py_tp_dealloc, iterator_dealloc },
		{ Py_tp_traverse, iterator_traverse },
		{ Py_tp_iter, iterator_self },
		{ Py_tp_iternext, iterator_next },
		{ 0, NULL },
	};
	static PyType_Spec spec = {
		.name = "rbmap.RecordingIterator",
		.basicsize = sizeof(struct iterator),
		.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC,
		.slots = slots,
	};

	return (PyTypeObject *)PyType_FromSpec(&spec);
}

int recording_add_type(PyObject *module)
{
	static PyType_Slot slots[] = {
		{ Py_tp_new, new },
		{ Py_tp_init, init },
		{ Py_tp_dealloc, dealloc },
		{ Py_tp_getset, getters },
		{ Py_tp_methods, methods },
		{ Py_tp_iter, iterate },
		{ 0, NULL },
	};
	static PyType_Spec spec = {
		.name = "rbmap._rbmap.Recording",
		.basicsize = sizeof(struct recording),
		.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
		.slots = slots,
	};
	PyObject *type = PyType_FromSpec(&spec);

	iterator_type = new_iterator_type();
	if (!type || !iterator_type)
		return -1;
	return PyModule_AddObjectRef(module, "Recording", type);
}
