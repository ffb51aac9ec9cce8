/* SPDX-License-Identifier: GPL-2.0-only */
/* The events that intervals begin and end with: their formats, and records of them. */
#ifndef INTERVAL_EVENTS_H
#define INTERVAL_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#define INTERVAL_EVENT_FIELDS	7
#define INTERVAL_EVENT_ROOM	256	/* bytes of a record */
#define INTERVAL_EVENT_ID	101	/* id of the first event */

/*
 * DYNAMIC: the place of a string; its characters are behind all fields. ARGS: six words, of
 * which the value has some: 1:2:3.
 */
enum interval_field_type { TEXT16, TEXT8, DYNAMIC, PID, S32, U32, S64, U64, ARGS };

struct interval_event {
	const char *system;
	const char *name;
	const char *alias;	/* name in scripts */
	struct {
		enum interval_field_type type;
		const char *name;
		const char *otherwise;	/* its value in scripts that end before it */
	} field[INTERVAL_EVENT_FIELDS];
};

extern const struct interval_event interval_events[];
extern const unsigned int nr_interval_events;

/* Return the text of an event's format. The caller frees it. */
char *interval_event_format(unsigned int event);

/* Put a record together. Return its size, or 0: the values do not fit the fields. */
size_t interval_event_record(unsigned int event, int pid, unsigned int flags,
			     char *const *value, unsigned int nr_values,
			     unsigned char record[INTERVAL_EVENT_ROOM]);

#endif /* INTERVAL_EVENTS_H */
