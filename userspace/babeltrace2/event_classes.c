// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "trace.h"

static bool has_member(const bt_field_class *structure, const char *name)
{
	return bt_field_class_structure_borrow_member_by_name_const(structure, name);
}

static bool add_fields(bt_trace_class *in, const struct rbmap_format *format,
		       bt_field_class *payload, struct event_class *ec)
{
	ec->field = calloc(format->nr_fields + 1, sizeof(*ec->field));
	if (!ec->field)
		return false;
	for (unsigned int i = 0; i < format->nr_fields; i++) {
		const struct rbmap_format_field *f = rbmap_format_field(format, i);

		if (f->flags & RBMAP_FIELD_COMMON || has_member(payload, f->name))
			continue;
		if (!append_member(payload, f->name, class_of_field(in, f)))
			return false;
		ec->field[ec->nr_fields++] = f;
	}
	return true;
}

static bt_event_class *name_class(struct trace *t, const char *name)
{
	bt_event_class *class = bt_event_class_create(t->stream_class);
	char *text = values_utf8(name, strlen(name));

	if (!class || !text || bt_event_class_set_name(class, text)) {
		bt_event_class_put_ref(class);
		class = NULL;
	}
	free(text);
	return class;
}

static bool fill_class(struct trace *t, const struct rbmap_format *format,
		       struct event_class *ec)
{
	bt_trace_class *in = bt_stream_class_borrow_trace_class(t->stream_class);
	bt_field_class *payload = bt_field_class_structure_create(in);
	bt_event_class *class = NULL;
	char *name = NULL;
	bool ok = false;

	if (asprintf(&name, "%s:%s", format->system, format->name) < 0)
		name = NULL;
	if (payload && name && add_fields(in, format, payload, ec))
		class = name_class(t, name);
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

struct event_class *event_classes_find(struct trace *t, const struct rbmap_event *ev)
{
	const struct rbmap_format *format = rbmap_formats_of(t->formats, ev);
	struct event_class *ec;

	if (!format && t->source->learn(t, ev))
		format = rbmap_formats_of(t->formats, ev);
	if (!format)
		return &t->unknown;
	if (t->by_id[format->id])
		return t->by_id[format->id];
	ec = calloc(1, sizeof(*ec));
	if (!ec || !fill_class(t, format, ec)) {
		free_class(ec);
		return NULL;
	}
	t->by_id[format->id] = ec;
	return ec;
}

/* An event without a format has its bytes. */
bool event_classes_begin(struct trace *t)
{
	static const struct rbmap_format_field bytes = { .flags = RBMAP_FIELD_ARRAY };
	bt_trace_class *in = bt_stream_class_borrow_trace_class(t->stream_class);
	bt_field_class *payload = bt_field_class_structure_create(in);
	bt_event_class *class = name_class(t, "rbmap:unknown");
	bool ok = payload && class && append_member(payload, "data", array_class(in, &bytes)) &&
		  !bt_event_class_set_payload_field_class(class, payload);

	t->unknown.class = class;
	bt_field_class_put_ref(payload);
	return ok;
}

void event_classes_end(struct trace *t)
{
	for (unsigned int id = 0; id < NR_IDS; id++)
		free_class(t->by_id[id]);
	bt_event_class_put_ref(t->unknown.class);
}
