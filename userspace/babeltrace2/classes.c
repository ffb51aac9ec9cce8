// SPDX-License-Identifier: GPL-2.0-only
/* The trace, its clock, its streams, and a class for each kind of event. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "component.h"

#define NS_PER_S	1000000000ULL

/* ---- clock */

static uint64_t frequency_of(const struct component *c, const struct rbmap_moment *begin)
{
	const struct rbmap_moment *end = rbmap_recording_moment(c->recording, RBMAP_MOMENT_END);
	const char *clock = rbmap_recording_clock(c->recording);
	double hz;

	if (!clock || strcmp(clock, "x86-tsc"))
		return NS_PER_S;
	if (!begin || !end || end->ring <= begin->ring || end->real <= begin->real)
		return NS_PER_S;
	hz = (double)(end->ring - begin->ring) * NS_PER_S / (end->real - begin->real);
	return hz >= 1 && hz < 1e12 ? hz : NS_PER_S;
}

/* Set the wall clock at the ring's time 0, and the last time that can be added to it. */
static void set_offset(struct component *c, const struct rbmap_moment *m, uint64_t hz)
{
	uint64_t ring_s = m->ring / hz, ring_rest = m->ring % hz;
	int64_t s = (int64_t)(m->real / NS_PER_S) - (int64_t)ring_s;
	double rest = (double)(m->real % NS_PER_S) * hz / NS_PER_S - ring_rest;

	if (hz == NS_PER_S)	/* exactly */
		rest = (double)((int64_t)(m->real % NS_PER_S) - (int64_t)ring_rest);
	if (rest < 0) {
		rest += hz;
		s--;
	}
	if (s < 0 || s > INT64_MAX / (int64_t)NS_PER_S / 2 || rest >= hz)
		return;
	bt_clock_class_set_offset(c->clock_class, s, (uint64_t)rest);
	c->latest -= (uint64_t)(s + 1) * NS_PER_S;
}

static bool make_clock(struct component *c)
{
	const struct rbmap_moment *begin =
		rbmap_recording_moment(c->recording, RBMAP_MOMENT_BEGIN);
	const char *clock = rbmap_recording_clock(c->recording);
	uint64_t hz = frequency_of(c, begin);

	c->clock_class = bt_clock_class_create(c->self);
	if (!c->clock_class)
		return false;
	bt_clock_class_set_frequency(c->clock_class, hz);
	c->latest = INT64_MAX;
	bt_clock_class_set_origin_is_unix_epoch(c->clock_class, begin ? BT_TRUE : BT_FALSE);
	if (begin)
		set_offset(c, begin, hz);
	/* Cycles that become ns by a factor of more than 1 must not overflow either. */
	if (hz < NS_PER_S)
		c->latest = (uint64_t)((double)c->latest * hz / NS_PER_S / 2);
	return !bt_clock_class_set_name(c->clock_class, clock ? clock : "ring");
}

/* ---- fields */

static bool is_number(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bt_field_class *number_class(bt_trace_class *trace, uint32_t size, uint32_t flags)
{
	bt_field_class *class = flags & RBMAP_FIELD_SIGNED ?
		bt_field_class_integer_signed_create(trace) :
		bt_field_class_integer_unsigned_create(trace);

	if (!class)
		return NULL;
	bt_field_class_integer_set_field_value_range(class, 8 * size);
	if (flags & RBMAP_FIELD_POINTER)
		bt_field_class_integer_set_preferred_display_base(class,
			BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL);
	return class;
}

static bt_field_class *array_class(bt_trace_class *trace, const struct rbmap_format_field *f)
{
	uint32_t size = f->flags & RBMAP_FIELD_ARRAY && is_number(f->element_size) ?
			f->element_size : 1;
	bt_field_class *element = number_class(trace, size, f->flags), *class;

	if (!element)
		return NULL;
	class = f->flags & RBMAP_FIELD_DYNAMIC || !f->size ?
		bt_field_class_array_dynamic_create(trace, element, NULL) :
		bt_field_class_array_static_create(trace, element, f->size / size);
	bt_field_class_put_ref(element);
	return class;
}

static bt_field_class *class_of(bt_trace_class *trace, const struct rbmap_format_field *f)
{
	if (f->flags & RBMAP_FIELD_STRING)
		return bt_field_class_string_create(trace);
	if (!(f->flags & RBMAP_FIELD_ARRAY) && is_number(f->size))
		return number_class(trace, f->size, f->flags);
	return array_class(trace, f);
}

/* Append a member, and drop the reference of its class. */
static bool append(bt_field_class *structure, const char *name, bt_field_class *class)
{
	bool ok = class && !bt_field_class_structure_append_member(structure, name, class);

	bt_field_class_put_ref(class);
	return ok;
}

/* ---- events */

static bool has_member(const bt_field_class *structure, const char *name)
{
	return bt_field_class_structure_borrow_member_by_name_const(structure, name);
}

static bool add_fields(bt_trace_class *trace, const struct rbmap_format *format,
		       bt_field_class *payload, struct event_class *ec)
{
	ec->field = calloc(format->nr_fields + 1, sizeof(*ec->field));
	if (!ec->field)
		return false;
	for (unsigned int i = 0; i < format->nr_fields; i++) {
		const struct rbmap_format_field *f = rbmap_format_field(format, i);

		if (f->flags & RBMAP_FIELD_COMMON || has_member(payload, f->name))
			continue;
		if (!append(payload, f->name, class_of(trace, f)))
			return false;
		ec->field[ec->nr_fields++] = f;
	}
	return true;
}

static bt_event_class *name_class(struct component *c, const char *name)
{
	bt_event_class *class = bt_event_class_create(c->stream_class);
	char *text = values_utf8(name, strlen(name));

	if (!class || !text || bt_event_class_set_name(class, text)) {
		bt_event_class_put_ref(class);
		class = NULL;
	}
	free(text);
	return class;
}

static bool fill_class(struct component *c, const struct rbmap_format *format,
		       struct event_class *ec)
{
	bt_trace_class *trace = bt_stream_class_borrow_trace_class(c->stream_class);
	bt_field_class *payload = bt_field_class_structure_create(trace);
	bt_event_class *class = NULL;
	char *name = NULL;
	bool ok = false;

	if (asprintf(&name, "%s:%s", format->system, format->name) < 0)
		name = NULL;
	if (payload && name && add_fields(trace, format, payload, ec))
		class = name_class(c, name);
	if (class)
		ok = !ec->nr_fields || !bt_event_class_set_payload_field_class(class, payload);
	ec->class = class;
	bt_field_class_put_ref(payload);
	free(name);
	return ok;
}

static void free_class(struct event_class *ec)
{
	if (!ec)
		return;
	bt_event_class_put_ref(ec->class);
	free(ec->field);
	free(ec);
}

struct event_class *classes_find(struct component *c, const struct rbmap_event *ev)
{
	const struct rbmap_format *format =
		rbmap_formats_of(rbmap_recording_formats(c->recording), ev);
	struct event_class *ec;

	if (!format)
		return &c->unknown;
	if (c->by_id[format->id])
		return c->by_id[format->id];
	ec = calloc(1, sizeof(*ec));
	if (!ec || !fill_class(c, format, ec)) {
		free_class(ec);
		return NULL;
	}
	c->by_id[format->id] = ec;
	return ec;
}

/* An event without a format has its bytes. */
static bool make_unknown(struct component *c, bt_trace_class *trace)
{
	static const struct rbmap_format_field bytes = { .flags = RBMAP_FIELD_ARRAY };
	bt_field_class *payload = bt_field_class_structure_create(trace);
	bt_event_class *class = name_class(c, "rbmap:unknown");
	bool ok = payload && class && append(payload, "data", array_class(trace, &bytes)) &&
		  !bt_event_class_set_payload_field_class(class, payload);

	c->unknown.class = class;
	bt_field_class_put_ref(payload);
	return ok;
}

/* ---- streams */

static bool set_contexts(struct component *c, bt_trace_class *trace)
{
	bt_field_class *packet = bt_field_class_structure_create(trace);
	bt_field_class *event = bt_field_class_structure_create(trace);
	bool ok = packet && event && append(packet, "cpu_id", number_class(trace, 4, 0)) &&
		  append(event, "pid", number_class(trace, 4, RBMAP_FIELD_SIGNED)) &&
		  append(event, "comm", bt_field_class_string_create(trace)) &&
		  append(event, "flags", number_class(trace, 1, 0)) &&
		  append(event, "preempt_count", number_class(trace, 1, 0));

	if (ok)
		ok = !bt_stream_class_set_packet_context_field_class(c->stream_class, packet) &&
		     !bt_stream_class_set_event_common_context_field_class(c->stream_class, event);
	bt_field_class_put_ref(packet);
	bt_field_class_put_ref(event);
	return ok;
}

static bool make_stream_class(struct component *c, bt_trace_class *trace)
{
	c->stream_class = bt_stream_class_create(trace);
	if (!c->stream_class ||
	    bt_stream_class_set_default_clock_class(c->stream_class, c->clock_class))
		return false;
	bt_stream_class_set_supports_packets(c->stream_class, BT_TRUE, BT_TRUE, BT_TRUE);
	bt_stream_class_set_supports_discarded_events(c->stream_class, BT_TRUE, BT_TRUE);
	return set_contexts(c, trace) && make_unknown(c, trace);
}

static bool set_environment(const struct component *c, bt_trace *trace)
{
	static const char *const keys[] = { "sysname", "hostname", "kernel_release", "machine" };
	const char *uname = rbmap_recording_uname(c->recording);
	bool ok = !bt_trace_set_environment_entry_string(trace, "domain", "kernel") &&
		  !bt_trace_set_environment_entry_string(trace, "tracer_name", "rbmap");
	char *text = uname ? values_utf8(uname, strlen(uname)) : NULL, *rest = text, *word;

	for (size_t i = 0; ok && text && i < sizeof(keys) / sizeof(keys[0]); i++) {
		word = strsep(&rest, " ");
		if (word)
			ok = !bt_trace_set_environment_entry_string(trace, keys[i], word);
	}
	free(text);
	return ok;
}

static bool make_streams(struct component *c, bt_trace *trace)
{
	char name[16];

	c->stream = calloc(c->nr_cpus + 1, sizeof(*c->stream));
	c->is_read = calloc(c->nr_cpus + 1, sizeof(*c->is_read));
	if (!c->stream || !c->is_read)
		return false;
	for (unsigned int cpu = 0; cpu < c->nr_cpus; cpu++) {
		snprintf(name, sizeof(name), "cpu%u", cpu);
		c->stream[cpu] = bt_stream_create(c->stream_class, trace);
		if (!c->stream[cpu] || bt_stream_set_name(c->stream[cpu], name))
			return false;
	}
	return true;
}

bool classes_make(struct component *c)
{
	bt_trace_class *class = bt_trace_class_create(c->self);
	bt_trace *trace = class ? bt_trace_create(class) : NULL;
	bool ok = trace && make_clock(c) && !bt_trace_set_name(trace, "rbmap");

	ok = ok && set_environment(c, trace) && make_stream_class(c, class) &&
	     make_streams(c, trace);
	bt_trace_put_ref(trace);
	bt_trace_class_put_ref(class);
	return ok;
}

void classes_free(struct component *c)
{
	for (unsigned int id = 0; id < NR_IDS; id++)
		free_class(c->by_id[id]);
	bt_event_class_put_ref(c->unknown.class);
	for (unsigned int cpu = 0; c->stream && cpu < c->nr_cpus; cpu++)
		bt_stream_put_ref(c->stream[cpu]);
	bt_stream_class_put_ref(c->stream_class);
	bt_clock_class_put_ref(c->clock_class);
	free(c->stream);
	free(c->is_read);
}
