// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "trace.h"

static bool set_packet_context(const struct trace *t, bt_trace_class *class, bt_field_class *packet)
{
	return append_member(packet, "cpu_id", number_class(class, 4, 0)) &&
	       (!t->has_buffers ||
		append_member(packet, "buffer", bt_field_class_string_create(class))) &&
	       (!t->has_hosts ||
		append_member(packet, "host", bt_field_class_string_create(class)));
}

static bool set_contexts(struct trace *t, bt_trace_class *class)
{
	bt_field_class *packet = bt_field_class_structure_create(class);
	bt_field_class *event = bt_field_class_structure_create(class);
	bool ok = packet && event && set_packet_context(t, class, packet) &&
		  append_member(event, "pid", number_class(class, 4, RBMAP_FIELD_SIGNED)) &&
		  append_member(event, "comm", bt_field_class_string_create(class)) &&
		  append_member(event, "flags", number_class(class, 1, 0)) &&
		  append_member(event, "preempt_count", number_class(class, 1, 0));

	if (ok)
		ok = !bt_stream_class_set_packet_context_field_class(t->stream_class, packet) &&
		     !bt_stream_class_set_event_common_context_field_class(t->stream_class, event);
	bt_field_class_put_ref(packet);
	bt_field_class_put_ref(event);
	return ok;
}

static bool make_stream_class(struct trace *t, bt_trace_class *class)
{
	t->stream_class = bt_stream_class_create(class);
	if (!t->stream_class)
		return false;
	bt_stream_class_set_assigns_automatic_stream_id(t->stream_class, BT_FALSE);
	if (bt_stream_class_set_default_clock_class(t->stream_class, t->clock_class))
		return false;
	bt_stream_class_set_supports_packets(t->stream_class, BT_TRUE, BT_TRUE, BT_TRUE);
	bt_stream_class_set_supports_discarded_events(t->stream_class, BT_TRUE, BT_TRUE);
	return set_contexts(t, class) && event_classes_begin(t);
}

/*
 * Trace Compass chooses the names of events and fields by the tracer: without one that it
 * knows, it takes a kernel's trace for LTTng's, whose names are others. Those of perf are
 * SYSTEM:EVENT and the kernel's own fields, as here.
 */
static bool set_environment(bt_trace *trace, const char *uname)
{
	static const char *const keys[] = { "sysname", "hostname", "kernel_release", "machine" };
	bool ok = !bt_trace_set_environment_entry_string(trace, "domain", "kernel") &&
		  !bt_trace_set_environment_entry_string(trace, "tracer_name", "perf") &&
		  !bt_trace_set_environment_entry_string(trace, "recorder", "rbmap");
	char *text = uname ? values_utf8(uname, strlen(uname)) : NULL, *rest = text, *word;

	for (size_t i = 0; ok && text && i < sizeof(keys) / sizeof(keys[0]); i++) {
		word = strsep(&rest, " ");
		if (word)
			ok = !bt_trace_set_environment_entry_string(trace, keys[i], word);
	}
	free(text);
	return ok;
}

static bool add_stream(struct trace *t, bt_trace *trace, bt_self_component_source *self,
		       uintptr_t i)
{
	const struct trace_place *place = &t->place[i];
	const char *colon = *place->buffer ? ":" : "";
	char *name;
	bool ok;

	if (asprintf(&name, "%s%scpu%u", place->buffer, colon, place->cpu) < 0)
		return false;
	/* The number of a CPU is the id of its stream, if it has one stream. */
	t->stream[i] = bt_stream_create_with_id(t->stream_class, trace,
						t->has_buffers ? i : place->cpu);
	ok = t->stream[i] && !bt_stream_set_name(t->stream[i], name) &&
	     bt_self_component_source_add_output_port(self, name, (void *)i, NULL) ==
		     BT_SELF_COMPONENT_ADD_PORT_STATUS_OK;
	free(name);
	return ok;
}

static bool make_streams(struct trace *t, bt_trace *trace, bt_self_component_source *self)
{
	t->stream = calloc(t->nr_streams + 1, sizeof(*t->stream));
	t->is_read = calloc(t->nr_streams + 1, sizeof(*t->is_read));
	if (!t->stream || !t->is_read)
		return false;
	for (unsigned int i = 0; i < t->nr_streams; i++)
		if (!add_stream(t, trace, self, i))
			return false;
	return true;
}

bool trace_make(struct trace *t, bt_self_component_source *self, const struct trace_facts *facts)
{
	bt_trace_class *class = bt_trace_class_create(t->self);
	bt_trace *trace = class ? bt_trace_create(class) : NULL;
	bool ok = trace && clock_make(t, facts) && !bt_trace_set_name(trace, "rbmap") &&
		  set_environment(trace, facts->uname) && make_stream_class(t, class) &&
		  make_streams(t, trace, self);

	bt_trace_put_ref(trace);
	bt_trace_class_put_ref(class);
	return ok;
}

void trace_free(struct trace *t)
{
	event_classes_end(t);
	for (unsigned int i = 0; t->stream && i < t->nr_streams; i++)
		bt_stream_put_ref(t->stream[i]);
	bt_stream_class_put_ref(t->stream_class);
	bt_clock_class_put_ref(t->clock_class);
	free(t->stream);
	free(t->is_read);
	free(t->path);
}
