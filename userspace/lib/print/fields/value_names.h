/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The names that a print format gives to the numbers of a field, such as a thread's state,
 * or the flags of an allocation.
 */
#ifndef RBMAP_PRINT_FIELDS_VALUE_NAMES_H
#define RBMAP_PRINT_FIELDS_VALUE_NAMES_H

#include <stdint.h>

#include "base/buf.h"

struct printer;
struct tep_event;

/**
 * struct value_name - what a format prints for a field
 * @field: the field's name, which belongs to the event
 * @printer: prints the name of a value. Its strings belong to the event's printer
 */
struct value_name {
	const char *field;
	struct printer *printer;
};

struct value_names {
	unsigned int nr;
	struct value_name *v;
};

/*
 * Find the fields that @printer, the printer of @event, prints by name. Without memory,
 * or without a printer, none is found. @event and @printer must live longer.
 */
void value_names_find(struct value_names *names, const struct tep_event *event,
		      const struct printer *printer);
void value_names_free(struct value_names *names);

#endif /* RBMAP_PRINT_FIELDS_VALUE_NAMES_H */
