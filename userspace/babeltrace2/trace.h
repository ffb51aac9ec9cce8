/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace of babeltrace2: its clock, a stream for each CPU, and the classes of events. A
 * recording and the rings of a buffer are sources of sub-buffers.
 */
#ifndef RBMAP_BT2_TRACE_H
#define RBMAP_BT2_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <babeltrace2/babeltrace.h>
#include <rbmap.h>

#define NS_PER_S	1000000000ULL
#define NR_IDS	65536	/* an id of an event has 16 bits */

struct trace;

enum source_state { SOURCE_SUBBUF, SOURCE_IDLE, SOURCE_END, SOURCE_ERROR };

/**
 * struct source - where sub-buffers come from
 * @begin: return SOURCE_SUBBUF if a stream can begin; SOURCE_IDLE: it is not there yet, and has
 * no event before the time *@quiet; SOURCE_END: it never came; SOURCE_ERROR. NULL: all are there
 * @next: store the next sub-buffer of a stream, or return why none comes. SOURCE_IDLE: none is
 * there now, and a later one has no event before the time *@quiet. SOURCE_ERROR: *@error is
 * an error of librbmap
 * @comm: return the name of a thread, or NULL
 * @room: return the bytes of a stream's sub-buffer with its header, to which a writer may still
 * add events; NULL: no more are added
 * @correct: return the time of an event or of a sub-buffer; NULL: it is right
 * @learn: return true if the format of an event was found after all
 */
struct source {
	enum source_state (*begin)(struct trace *t, unsigned int i, uint64_t *quiet, int *error);
	enum source_state (*next)(struct trace *t, unsigned int i, struct rbmap_subbuf *sb,
				  uint64_t *quiet, int *error);
	size_t (*room)(struct trace *t, unsigned int i);
	uint64_t (*correct)(struct trace *t, unsigned int i, uint64_t ts);
	const char *(*comm)(struct trace *t, int pid);
	bool (*learn)(struct trace *t, const struct rbmap_event *ev);
};

/**
 * struct event_class - an event class and the fields of its format
 * @class: the event class of babeltrace2
 * @field: fields of the payload; their order is that of its members
 */
struct event_class {
	const bt_event_class *class;
	const struct rbmap_format_field **field;
	unsigned int nr_fields;
};

/**
 * struct trace_place - what a stream has
 * @cpu: the number of its CPU
 * @buffer: the name of its buffer in UTF-8; "": it has none
 * @host: the host of its CPU in a merged recording; NULL: there is one host
 */
struct trace_place {
	unsigned int cpu;
	const char *buffer;
	const char *host;
};

/**
 * struct trace - a trace, the first member of each component
 * @path: the recording or the directory of rings, for messages
 * @by_id: event classes, made for the first event of each
 * @unknown: the class of events without a format
 * @latest: times are at most this, so that babeltrace2 can express them in ns
 * @nr_streams: one for each CPU of each buffer
 * @place: for each stream: what it has
 * @has_buffers: streams belong to several buffers, whose names are in the packets
 * @has_hosts: CPUs belong to several hosts, whose names are in the packets
 * @is_read: for each stream: a message iterator has read it
 */
struct trace {
	const struct source *source;
	bt_self_component *self;
	char *path;
	const struct rbmap_formats *formats;
	bt_clock_class *clock_class;
	bt_stream_class *stream_class;
	unsigned int nr_streams;
	const struct trace_place *place;
	bool has_buffers;
	bool has_hosts;
	bt_stream **stream;
	bool *is_read;
	struct event_class *by_id[NR_IDS];
	struct event_class unknown;
	uint64_t latest;
};

/**
 * struct trace_facts - what a source knows of its trace
 * @clock: the name of the ring's clock; NULL: unknown
 * @frequency: Hz of the clock
 * @moment: the ring's clock together with the wall clock; NULL: unknown
 * @is_dated: times are those of the wall clock
 * @uname: "SYSTEM HOST RELEASE MACHINE"; NULL: unknown
 */
struct trace_facts {
	const char *clock;
	uint64_t frequency;
	const struct rbmap_moment *moment;
	bool is_dated;
	const char *uname;
};

/*
 * Make the streams of the t->nr_streams places, and their output ports. The name of a port is
 * "cpu" with the CPU's number, behind the name of its buffer and a colon if it has one. Return
 * false: out of memory.
 */
bool trace_make(struct trace *t, bt_self_component_source *self, const struct trace_facts *facts);
void trace_free(struct trace *t);

/* Return the frequency of a clock of cycles, from two moments. NULL or nonsense: 1 GHz. */
uint64_t clock_frequency(const struct rbmap_moment *begin, const struct rbmap_moment *end);
/* Return false: out of memory. */
bool clock_make(struct trace *t, const struct trace_facts *facts);

/*
 * event_classes.c has a class for each kind of event, made when the first event of it comes.
 * Make the class of events without a format. Return false: out of memory.
 */
bool event_classes_begin(struct trace *t);
void event_classes_end(struct trace *t);
/* Return the class of an event; NULL: out of memory. */
struct event_class *event_classes_find(struct trace *t, const struct rbmap_event *ev);

#endif /* RBMAP_BT2_TRACE_H */
