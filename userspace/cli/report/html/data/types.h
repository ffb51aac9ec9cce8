/* SPDX-License-Identifier: GPL-2.0-only */
/* The types of events in a page, and which fields the page keeps of each event. */
#ifndef RBMAP_REPORT_HTML_DATA_TYPES_H
#define RBMAP_REPORT_HTML_DATA_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rbmap.h>

#define TYPE_FIELDS	5	/* most fields that are kept */

struct type_field {
	char *name;
	uint32_t offset;
	uint32_t size;
	bool is_signed;
};

/**
 * struct type - a type of events
 * @system, @name: NULL: the format is not known
 * @id: common_type; -1: events that are too short to have one
 * @index: number in the page, from 1 on; 0: no event had this type yet
 * @events: number of its events
 */
struct type {
	char *system, *name;
	int id;
	unsigned int index;
	uint64_t events;
	unsigned int nr_fields;
	struct type_field field[TYPE_FIELDS];
};

struct types;

struct types *types_new(void);		/* NULL: out of memory */
void types_free(struct types *types);

/* Return 0, also for invalid formats, or -ENOMEM. */
int types_add_format(struct types *types, const char *system, const char *format, size_t size);

/* Return the type of an event, and count it; NULL: out of memory. */
struct type *types_count(struct types *types, const struct rbmap_event *ev);

/* Return the number of types that were counted, and the one with an index from 1 on. */
unsigned int types_nr(const struct types *types);
const struct type *types_get(const struct types *types, unsigned int index);

/* Return the number in a field; 0: the event is too short. */
int64_t type_value(const struct type_field *field, const struct rbmap_event *ev);

#endif /* RBMAP_REPORT_HTML_DATA_TYPES_H */
