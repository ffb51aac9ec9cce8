/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Where events come from: a recording or a merge of rings. The types Recording and Live
 * begin with this structure.
 */
#ifndef RBMAP_PYTHON_SOURCE_H
#define RBMAP_PYTHON_SOURCE_H

#include "python.h"

#include <stdbool.h>
#include <stdint.h>
#include <rbmap.h>

/* A format, and the Python objects that all its events share. */
struct known {
	const struct rbmap_format *format;
	PyObject *system;
	PyObject *name;
	PyObject *index;	/* dict: name of a field to its index */
	unsigned int nr_common;	/* common fields come first */
};

/**
 * struct source - what events need of their source
 * @formats: formats of the events
 * @known: table of the formats that events had, by their ids
 * @comm: function that returns the name of a thread, which can be in the room; or NULL
 * @host: function that returns the host of a CPU, or NULL; or NULL
 * @buffer: function that returns the buffer of the event that was read last; or NULL
 * @buffer_name: function that returns the name of a buffer, "" for the top buffer; or NULL
 * @release: function that frees all but the Python object
 * @events: number of events that were read
 * @lost: number of events that were lost before them
 * @lost_unknown: an unknown number was lost, too
 * @alive: number of events that still point to formats
 * @closed: the user has closed the source
 * @busy: a thread uses the library without Python's lock
 */
struct source {
	PyObject_HEAD
	const struct rbmap_formats *formats;
	struct known **known;
	const char *(*comm)(struct source *source, int pid, char room[64]);
	const char *(*host)(struct source *source, unsigned int cpu);
	unsigned int (*buffer)(struct source *source);
	const char *(*buffer_name)(struct source *source, unsigned int buffer);
	void (*release)(struct source *source);
	uint64_t events;
	uint64_t lost;
	bool lost_unknown;
	size_t alive;
	bool closed;
	bool busy;
};

/* Return the format of an event; NULL: it is unknown, or an exception is set. */
struct known *source_known(struct source *source, const struct rbmap_event *ev);
struct known *source_known_format(struct source *source, const struct rbmap_format *format);

/* Count an event, or losses alone. */
void source_count(struct source *source, const struct rbmap_event *ev);
void source_count_lost(struct source *source, uint64_t lost);

/* Return whether the source can be used. If not, set an exception. */
bool source_usable(const struct source *source);

/* Close it. The formats are freed with the last event that needs them. */
void source_close(struct source *source);
void source_event_gone(struct source *source);
void source_free_known(struct source *source);

/* Free the object itself; its type has such a slot. */
void object_free(PyObject *self);

/* The attributes events, lost and closed, and the method formats */
PyObject *source_get_events(PyObject *self, void *closure);
PyObject *source_get_lost(PyObject *self, void *closure);
PyObject *source_get_lost_unknown(PyObject *self, void *closure);
PyObject *source_get_closed(PyObject *self, void *closure);
PyObject *source_list_formats(PyObject *self, PyObject *args);

#define SOURCE_GETTERS							\
	{ "events", source_get_events, NULL,				\
	  "number of events that were read in this pass", NULL },	\
	{ "lost", source_get_lost, NULL,				\
	  "number of events that were lost, as far as events were read", NULL }, \
	{ "lost_unknown", source_get_lost_unknown, NULL,		\
	  "True: an unknown number of events was lost, beside those in lost", NULL }, \
	{ "closed", source_get_closed, NULL, "True: close() was called", NULL }

/*
 * The types Event, Recording and Live. An event has a copy of its bytes, and outlives its
 * ring. Add a type to the module. Return 0 or -1.
 */
int event_add_type(PyObject *module);
int recording_add_type(PyObject *module);
int live_add_type(PyObject *module);

/* Return a new event; NULL: an exception is set. */
PyObject *event_new(struct source *source, const struct rbmap_event *ev);

#endif /* RBMAP_PYTHON_SOURCE_H */
