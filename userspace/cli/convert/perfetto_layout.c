// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "perfetto_layout.h"
#include "print/session_formats.h"
#include "print/field_value.h"

#define GENERIC	"generic"

/* Events of other systems can have the name of one of these systems' events. */
static const char *const systems[] = {
	"block", "ftrace", "irq", "irq_vectors", "net", "power", "raw_syscalls", "sched", "task",
	"timer", "workqueue",
};

static const ProtobufCFieldDescriptor *find_field(const ProtobufCMessageDescriptor *message,
						  const char *name)
{
	for (unsigned int i = 0; i < message->n_fields; i++)
		if (!strcmp(message->fields[i].name, name))
			return &message->fields[i];
	return NULL;
}

/* Return the text of a marker; NULL: the event is no marker, or is one without a text. */
static const struct tep_format_field *find_marker(const struct tep_event *event)
{
	const struct tep_format_field *f;

	if (strcmp(event->system, "rbmap") || strcmp(event->name, "marker"))
		return NULL;
	for (f = event->format.fields; f && strcmp(f->name, "buf"); f = f->next)
		;
	return f;
}

/* Return the field of FtraceEvent for an event, or NULL. */
static const ProtobufCFieldDescriptor *find_message(const struct tep_event *event)
{
	const ProtobufCFieldDescriptor *found = NULL;

	if (find_marker(event))
		return find_field(&perfetto__ftrace_event__descriptor, "print");
	for (unsigned int i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		if (!strcmp(systems[i], event->system))
			found = find_field(&perfetto__ftrace_event__descriptor, event->name);
	/* The generic message is for events without one of their own. */
	if (!found || found->type != PROTOBUF_C_TYPE_MESSAGE || !strcmp(found->name, GENERIC))
		return NULL;
	return found;
}

static bool fits_number(const struct tep_format_field *from, const ProtobufCFieldDescriptor *to)
{
	switch (to->type) {
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_UINT32:
		return from->size <= 4;
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_UINT64:
		return from->size <= 8;
	default:
		return false;
	}
}

/* Test whether the message's field has room for all values of the event's field. */
static bool fits(const struct tep_format_field *from, const ProtobufCFieldDescriptor *to)
{
	bool repeated = to->label == PROTOBUF_C_LABEL_REPEATED;

	switch (field_value_kind(from)) {
	case FIELD_STRING:
		return to->type == PROTOBUF_C_TYPE_BYTES && !repeated;
	case FIELD_NUMBER:
		return !repeated && fits_number(from, to);
	case FIELD_ARRAY:
		return repeated && to->type == PROTOBUF_C_TYPE_UINT64;
	default:
		return false;
	}
}

static unsigned int count_fields(const struct tep_event *event)
{
	const struct tep_format_field *f;
	unsigned int nr = 0;

	for (f = event->format.fields; f; f = f->next)
		nr++;
	return nr;
}

static struct perfetto_layout *new_layout(const ProtobufCFieldDescriptor *in_event, unsigned int nr)
{
	const ProtobufCMessageDescriptor *message = in_event->descriptor;
	struct perfetto_layout *layout =
		calloc(1, sizeof(*layout) + nr * sizeof(layout->field[0]));

	if (!layout)
		return NULL;
	layout->number = in_event->id;
	layout->message = calloc(1, message->sizeof_message);
	if (!layout->message) {
		free(layout);
		return NULL;
	}
	message->message_init(layout->message);
	return layout;
}

/* Return whether the message has a field for each of the event. Two cannot share one. */
static bool set_fields(struct perfetto_layout *layout, const struct tep_event *event)
{
	const struct tep_format_field *f;

	for (f = event->format.fields; f; f = f->next) {
		const ProtobufCFieldDescriptor *to =
			find_field(layout->message->descriptor, f->name);

		if (!to || !fits(f, to))
			return false;
		for (unsigned int i = 0; i < layout->nr_fields; i++)
			if (layout->field[i].to == to)
				return false;
		layout->field[layout->nr_fields].from = f;
		layout->field[layout->nr_fields++].to = to;
	}
	return true;
}

static ProtobufCBinaryData bytes_of(const char *text)
{
	return (ProtobufCBinaryData){ .len = strlen(text), .data = (uint8_t *)text };
}

/* The fields of @layout get their names later. */
static struct perfetto_layout *new_generic(unsigned int nr)
{
	const ProtobufCFieldDescriptor *in_event =
		find_field(&perfetto__ftrace_event__descriptor, GENERIC);
	struct perfetto_layout *layout = new_layout(in_event, nr);

	if (!layout)
		return NULL;
	layout->generic = (Perfetto__Generic *)layout->message;
	layout->generic->field = calloc(nr + 1, sizeof(layout->generic->field[0]));
	if (!layout->generic->field) {
		perfetto_layout_free(layout);
		return NULL;
	}
	return layout;
}

static void add_generic_field(struct perfetto_layout *layout, const char *name,
			      const struct tep_format_field *from)
{
	struct perfetto_field *field = &layout->field[layout->nr_fields++];

	field->from = from;
	perfetto__generic__field__init(&field->generic);
	field->generic.has_name = true;
	field->generic.name = bytes_of(name);
}

/* Take over the name, which is NULL if memory was lacking. */
static struct perfetto_layout *set_name(struct perfetto_layout *layout, char *name)
{
	layout->name = name;
	if (!name) {
		perfetto_layout_free(layout);
		return NULL;
	}
	layout->generic->has_event_name = true;
	layout->generic->event_name = bytes_of(name);
	return layout;
}

static struct perfetto_layout *generic_layout(const struct print_session *s, int id)
{
	const struct tep_event *event = print_session_event(s, id);
	struct perfetto_layout *layout = new_generic(count_fields(event));
	const struct tep_format_field *f;
	struct buf name = { 0 };

	if (!layout)
		return NULL;
	for (f = event->format.fields; f; f = f->next)
		add_generic_field(layout, f->name, f);
	print_session_add_name(s, id, &name);
	buf_add(&name, "", 1);
	if (name.failed)
		buf_free(&name);
	return set_name(layout, name.data);
}

struct perfetto_layout *perfetto_layout_new(const struct print_session *s, int id)
{
	const struct tep_event *event = print_session_event(s, id);
	const ProtobufCFieldDescriptor *in_event = find_message(event);
	struct perfetto_layout *layout;

	if (!in_event)
		return generic_layout(s, id);
	layout = new_layout(in_event, count_fields(event));
	if (!layout)
		return NULL;
	layout->marker = find_marker(event);
	if (set_fields(layout, event))
		return layout;
	perfetto_layout_free(layout);
	return generic_layout(s, id);
}

struct perfetto_layout *perfetto_layout_generic(const struct print_session *s, int id)
{
	return generic_layout(s, id);
}

struct perfetto_layout *perfetto_layout_unknown(const char *name, const char *field)
{
	struct perfetto_layout *layout = new_generic(1);

	if (!layout)
		return NULL;
	add_generic_field(layout, field, NULL);
	return set_name(layout, strdup(name));
}

void perfetto_layout_free(struct perfetto_layout *layout)
{
	if (!layout)
		return;
	if (layout->generic)
		free(layout->generic->field);
	free(layout->message);
	free(layout->name);
	free(layout);
}
