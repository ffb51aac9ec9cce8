/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The names of events in lines of text: "sched_switch: ". If two systems have an event of
 * the same name, the label has the system, too: "sched:sched_switch: ".
 */
#ifndef RBMAP_PRINT_EVENT_LABEL_H
#define RBMAP_PRINT_EVENT_LABEL_H

#include <stdbool.h>

#include "base/hash.h"

#define LABEL_COPY	32		/* most labels are copied by so many bytes */

/**
 * struct event_label - the label of an event
 * @next: the next label of the same name
 * @system, @name: the names of the event, which belong to the caller
 * @text: with spaces up to the width; it has LABEL_COPY bytes or more
 * @size: bytes of @text that are printed
 */
struct event_label {
	struct event_label *next;
	const char *system;
	const char *name;
	char *text;
	unsigned int size;
};

/* The labels of a name. @with_system: they are of several systems. */
struct named_labels {
	bool used;
	bool with_system;
	struct event_label *first;
};

HASH_TABLE(labels_by_name, struct named_labels);

/* All labels of a text. @width: columns for a name */
struct event_labels {
	unsigned int width;
	struct labels_by_name names;
};

/*
 * Make the text of a label that has a system and a name, and change the labels of the same
 * name. Return false if memory is lacking; the label is not in @labels then.
 */
bool event_label_add(struct event_labels *labels, struct event_label *label);

/* Free the table. The labels are those of the caller. */
void event_labels_free(struct event_labels *labels);

#endif /* RBMAP_PRINT_EVENT_LABEL_H */
