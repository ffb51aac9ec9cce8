/* SPDX-License-Identifier: GPL-2.0-only */
/* The component class source.rbmap.dat: a recording. Each CPU is a stream with a port. */
#ifndef RBMAP_BT2_COMPONENT_H
#define RBMAP_BT2_COMPONENT_H

#include <stdbool.h>
#include <stdint.h>
#include <babeltrace2/babeltrace.h>
#include <rbmap.h>

#define NR_IDS	65536	/* an id of an event has 16 bits */

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
 * struct component - a recording
 * @by_id: event classes, made for the first event of each
 * @unknown: the class of events without a format
 * @latest: times are at most this, so that babeltrace2 can express them in ns
 * @is_read: for each CPU: a message iterator has read it
 */
struct component {
	bt_self_component *self;
	struct rbmap_recording *recording;
	char *path;
	bt_clock_class *clock_class;
	bt_stream_class *stream_class;
	bt_stream **stream;
	bool *is_read;
	struct event_class *by_id[NR_IDS];
	struct event_class unknown;
	uint64_t latest;
	unsigned int nr_cpus;
};

/* classes.c: make the trace and what belongs to it. Return false: out of memory. */
bool classes_make(struct component *component);
void classes_free(struct component *component);
/* Return the class of an event; NULL: out of memory. */
struct event_class *classes_find(struct component *component, const struct rbmap_event *ev);

/* values.c: set the fields of an event. Return false: out of memory. */
bool values_set(struct component *component, const struct event_class *class, bt_event *event,
		const struct rbmap_event *ev);
/* Return a copy in UTF-8; other bytes become U+FFFD. The caller frees it. NULL: no memory. */
char *values_utf8(const char *text, size_t len);

/* iterator.c */
bt_message_iterator_class_initialize_method_status iterator_begin(
	bt_self_message_iterator *self, bt_self_message_iterator_configuration *configuration,
	bt_self_component_port_output *port);
bt_message_iterator_class_next_method_status iterator_next(bt_self_message_iterator *self,
							   bt_message_array_const messages,
							   uint64_t room, uint64_t *count);
void iterator_end(bt_self_message_iterator *self);

#endif /* RBMAP_BT2_COMPONENT_H */
