// SPDX-License-Identifier: LGPL-2.1-only
/* The type _rbmap.Live: the rings of a buffer. rbmap/live.py makes the public class of it. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "event_common.h"

#define NR_IDS		65536	/* an id has 16 bits */
#define WAIT_MS		200	/* at most, between looks at signals of Python */
#define NSEC_PER_MSEC	1000000LL
#define NSEC_PER_SEC	1000000000LL

struct live {
	struct source source;
	struct rbmap_merge *merge;
	struct rbmap_formats *formats;
	PyObject *dir;
	PyObject *events_dir;
	atomic_bool stopped;	/* return what the rings hold, and no more */
	bool drained;		/* the merge holds nothing back */
	bool asked[NR_IDS];	/* formats that were looked for once more */
};

static struct live *of(PyObject *self)
{
	return (struct live *)self;
}

/* ---- open and close */

/* In a container /proc has other numbers than events. The initial namespace has this one. */
static bool proc_has_kernel_pids(void)
{
	static const char initial[] = "pid:[4026531836]";
	char name[sizeof(initial)];
	ssize_t len = readlink("/proc/self/ns/pid", name, sizeof(name));

	return len == sizeof(initial) - 1 && !memcmp(name, initial, len);
}

/* The thread may have another name by now, or have ended. */
static const char *comm(struct source *source, int pid, char room[64])
{
	ssize_t size = -1;
	char path[64];
	int fd;

	(void)source;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	fd = proc_has_kernel_pids() ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0) {
		size = read(fd, room, 63);
		close(fd);
	}
	if (size <= 0)
		return NULL;
	room[size] = '\0';
	room[strcspn(room, "\n")] = '\0';
	return room;
}

static void release(struct source *source)
{
	struct live *live = (struct live *)source;

	source_free_known(source);
	if (live->merge)
		rbmap_merge_close(live->merge);
	rbmap_formats_free(live->formats);
	live->merge = NULL;
	live->formats = NULL;
	source->formats = NULL;
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
	of(self)->source.release = release;
	of(self)->source.closed = true;
	return self;
}

static int open_all(struct live *live, const char *dir, const char *events_dir, bool observe)
{
	int ret = rbmap_formats_new(&live->formats);

	if (!ret)
		ret = rbmap_formats_load(live->formats, events_dir);
	if (ret < 0)
		return ret;
	return observe ? rbmap_merge_observe_path(&live->merge, dir, 0) :
			 rbmap_merge_open_path(&live->merge, dir, 0);
}

static int open_live(struct live *live, PyObject *dir, PyObject *events_dir, bool observe)
{
	int ret;

	if (live->merge) {
		PyErr_SetString(PyExc_RuntimeError, "the rings are open already");
		return -1;
	}
	ret = open_all(live, PyBytes_AsString(dir), PyBytes_AsString(events_dir), observe);
	if (ret) {
		set_error(ret, NULL);
		release(&live->source);
		return -1;
	}
	live->dir = Py_NewRef(dir);
	live->events_dir = Py_NewRef(events_dir);
	live->source.formats = live->formats;
	live->source.closed = false;
	return 0;
}

static int init(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "dir", "events_dir", "observe", NULL };
	PyObject *dir = NULL, *events_dir = NULL;
	int observe = 0, ret = -1;

	if (PyArg_ParseTupleAndKeywords(args, kwargs, "O&O&|p:Live", names,
					PyUnicode_FSConverter, &dir, PyUnicode_FSConverter,
					&events_dir, &observe))
		ret = open_live(of(self), dir, events_dir, observe);
	Py_XDECREF(dir);
	Py_XDECREF(events_dir);
	return ret;
}

static void dealloc(PyObject *self)
{
	release(&of(self)->source);
	Py_CLEAR(of(self)->dir);
	Py_CLEAR(of(self)->events_dir);
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

/* ---- read */

/* Wait without Python's lock. Return 0, or -1: an exception is set. */
static int wait_for_events(struct live *live, int timeout_ms)
{
	int ret;

	live->source.busy = true;
	Py_BEGIN_ALLOW_THREADS
	ret = rbmap_merge_wait(live->merge, timeout_ms);
	Py_END_ALLOW_THREADS
	live->source.busy = false;
	if (PyErr_CheckSignals())
		return -1;
	if (ret < 0 && ret != -EINTR) {
		set_error(ret, NULL);
		return -1;
	}
	return 0;
}

/* An event that is new since the formats were read has a format in the meantime. */
static int learn_format(struct live *live, const struct rbmap_event *ev)
{
	uint16_t id;
	int ret;

	if (!event_id(ev, &id) || rbmap_formats_of(live->formats, ev) || live->asked[id])
		return 0;
	live->asked[id] = true;
	ret = rbmap_formats_load(live->formats, PyBytes_AsString(live->events_dir));
	return ret < 0 ? ret : 0;
}

/* Return 1: an event, 0: none now, or -1: an exception is set. */
static int try_next(struct live *live, struct rbmap_event *ev)
{
	int ret = rbmap_merge_next(live->merge, ev);

	if (ret == 1) {
		source_count(&live->source, ev);
		ret = learn_format(live, ev);
		ret = ret ? ret : 1;
	}
	if (ret < 0) {
		set_error(ret, NULL);
		return -1;
	}
	return ret;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

/* A wait may end early: what is left of the time is counted from its end. In ms, rounded up. */
static int next_wait_ms(int64_t left_ns)
{
	int64_t ms = (left_ns + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC;

	return left_ns < 0 || ms > WAIT_MS ? WAIT_MS : ms;
}

/* Return the next event; NULL: an exception is set, or none came in time. -1 is for ever. */
static PyObject *next_within(struct live *live, int64_t timeout_ns)
{
	int64_t deadline = timeout_ns > 0 ? now_ns() + timeout_ns : 0;
	int64_t left = timeout_ns;
	struct rbmap_event ev;
	int ret;

	for (;;) {
		bool stopped = atomic_load(&live->stopped);

		if (!source_usable(&live->source))
			return NULL;
		if (stopped && !live->drained) {
			rbmap_merge_set_hold(live->merge, 0);
			live->drained = true;
		}
		ret = try_next(live, &ev);
		if (ret)
			return ret < 0 ? NULL : event_new(&live->source, &ev);
		if (stopped || !left || wait_for_events(live, next_wait_ms(left)))
			return NULL;
		if (timeout_ns > 0) {
			left = deadline - now_ns();
			left = left > 0 ? left : 0;
		}
	}
}

static PyObject *iterator_next(PyObject *self)
{
	return next_within(of(self), -1);
}

static PyObject *iterator_self(PyObject *self)
{
	return Py_NewRef(self);
}

static PyObject *read_one(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "timeout", NULL };
	PyObject *timeout = Py_None, *event;
	double seconds = -1;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:read", names, &timeout))
		return NULL;
	if (timeout != Py_None) {
		seconds = PyFloat_AsDouble(timeout);
		if (PyErr_Occurred())
			return NULL;
		if (!(seconds >= 0 && seconds < 1e9)) {
			PyErr_SetString(PyExc_ValueError, "the timeout must be 0 to 1e9 seconds");
			return NULL;
		}
	}
	event = next_within(of(self), timeout == Py_None ? -1 : (int64_t)(seconds * NSEC_PER_SEC));
	if (event || PyErr_Occurred())
		return event;
	Py_RETURN_NONE;
}

/* Another thread may call this, also while one waits. */
static PyObject *stop(PyObject *self, PyObject *args)
{
	(void)args;
	atomic_store(&of(self)->stopped, true);
	if (of(self)->merge && !of(self)->source.closed)
		rbmap_merge_wake(of(self)->merge);
	Py_RETURN_NONE;
}

/* _loss() -> losses by cause */
static PyObject *loss(PyObject *self, PyObject *args)
{
	struct rbmap_loss l;
	int ret;

	(void)args;
	if (!source_usable(&of(self)->source))
		return NULL;
	ret = rbmap_merge_loss(of(self)->merge, &l);
	if (ret < 0)
		return set_error(ret, NULL);
	return Py_BuildValue("{sKsKsKsKsKsKsKsKsKsK}",
			     "overrun", (unsigned long long)l.overrun,
			     "full", (unsigned long long)l.full,
			     "lapped", (unsigned long long)l.lapped,
			     "nested", (unsigned long long)l.nested,
			     "too_large", (unsigned long long)l.too_large,
			     "expired", (unsigned long long)l.expired,
			     "no_ring", (unsigned long long)l.no_ring,
			     "total", (unsigned long long)l.total,
			     "reported", (unsigned long long)l.reported,
			     "unreported", (unsigned long long)l.unreported);
}

/* _unopened() -> a tuple (CPU, error) for each CPU that came online without a usable ring */
static PyObject *unopened(PyObject *self, PyObject *args)
{
	PyObject *list, *item;
	int error, cpu;

	(void)args;
	if (!source_usable(&of(self)->source))
		return NULL;
	list = PyList_New(0);
	for (unsigned int i = 0; list && (error = rbmap_merge_unopened(of(self)->merge, i, &cpu));
	     i++) {
		item = Py_BuildValue("(is)", cpu, rbmap_strerror(error));
		if (!item || PyList_Append(list, item))
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

static PyObject *pace(PyObject *self, PyObject *args)
{
	PyObject *path = NULL;
	int ret;

	if (!PyArg_ParseTuple(args, "O&:_pace", PyUnicode_FSConverter, &path))
		return NULL;
	if (!source_usable(&of(self)->source)) {
		Py_DECREF(path);
		return NULL;
	}
	ret = rbmap_merge_pace(of(self)->merge, PyBytes_AsString(path));
	Py_DECREF(path);
	if (ret)
		return set_error(ret, NULL), NULL;
	Py_RETURN_NONE;
}

static PyObject *set_hold(PyObject *self, PyObject *args)
{
	unsigned int us;

	if (!PyArg_ParseTuple(args, "I:_set_hold", &us) || !source_usable(&of(self)->source))
		return NULL;
	rbmap_merge_set_hold(of(self)->merge, us);
	Py_RETURN_NONE;
}

static PyGetSetDef getters[] = {
	SOURCE_GETTERS,
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef methods[] = {
	{ "_close", close_it, METH_NOARGS, NULL },
	{ "read", (PyCFunction)(void (*)(void))read_one, METH_VARARGS | METH_KEYWORDS,
	  "read(timeout=None) -> the next event; None: none came within so many seconds" },
	{ "stop", stop, METH_NOARGS,
	  "stop() ends the iteration after the events that the rings hold; any thread may\n"
	  "call it" },
	{ "_formats", source_list_formats, METH_NOARGS, NULL },
	{ "_loss", loss, METH_NOARGS, NULL },
	{ "_pace", pace, METH_VARARGS, NULL },
	{ "_unopened", unopened, METH_NOARGS, NULL },
	{ "_set_hold", set_hold, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

int live_add_type(PyObject *module)
{
	static PyType_Slot slots[] = {
		{ Py_tp_new, new },
		{ Py_tp_init, init },
		{ Py_tp_dealloc, dealloc },
		{ Py_tp_getset, getters },
		{ Py_tp_methods, methods },
		{ Py_tp_iter, iterator_self },
		{ Py_tp_iternext, iterator_next },
		{ 0, NULL },
	};
	static PyType_Spec spec = {
		.name = "rbmap._rbmap.Live",
		.basicsize = sizeof(struct live),
		.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
		.slots = slots,
	};
	PyObject *type = PyType_FromSpec(&spec);

	return type ? PyModule_AddObjectRef(module, "Live", type) : -1;
}
