/* SPDX-License-Identifier: GPL-2.0-only */
/* The message for an event of a recording, and the field of it for each of the event's. */
#ifndef RBMAP_CLI_CONVERT_PERFETTO_LAYOUT_H
#define RBMAP_CLI_CONVERT_PERFETTO_LAYOUT_H

#include <stdbool.h>

#include "perfetto.pb-c.h"

struct tep_event;
struct tep_format_field;
struct print_session;

/**
 * struct perfetto_field - a field
 * @from: the field of the event's format
 * @to: the field of the message; NULL: @generic
 */
struct perfetto_field {
	const struct tep_format_field *from;
	const ProtobufCFieldDescriptor *to;
	Perfetto__Generic__Field generic;
};

/**
 * struct perfetto_layout - an event
 * @number: the message's field in FtraceEvent
 * @message: the message, which all events of the layout use
 * @generic: the same, or NULL: FtraceEvent has a message for the event
 * @name: the name of the event; @generic has it
 * @marker: NULL, or the text: the message is for markers of Perfetto's own form alone
 */
struct perfetto_layout {
	uint32_t number;
	ProtobufCMessage *message;
	Perfetto__Generic *generic;
	char *name;
	const struct tep_format_field *marker;
	unsigned int nr_fields;
	struct perfetto_field field[];
};

/* Return the layout of an event that has a format in @t. NULL: out of memory. */
struct perfetto_layout *perfetto_layout_new(const struct print_session *s, int id);

/* The same, although FtraceEvent has a message for the event. */
struct perfetto_layout *perfetto_layout_generic(const struct print_session *s, int id);

/* Return the layout of events without a known format. It has one field, @field. */
struct perfetto_layout *perfetto_layout_unknown(const char *name, const char *field);

void perfetto_layout_free(struct perfetto_layout *layout);

#endif /* RBMAP_CLI_CONVERT_PERFETTO_LAYOUT_H */
