/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a CPU: their times, types, tasks, and the values of the fields that are kept. */
#ifndef RBMAP_REPORT_HTML_DATA_EVENTS_H
#define RBMAP_REPORT_HTML_DATA_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <rbmap.h>

#include "levels.h"
#include "store.h"

#define MOST_EVENTS	8192	/* in a piece */

struct type;

/**
 * struct event_entry - an event of the piece
 * @type: index of its type; 0: events were lost here
 * @value: place of its first value in events->values
 */
struct event_entry {
	uint64_t ts;
	uint32_t type;
	uint32_t value;
};

/**
 * struct events - the events of a CPU
 * @number: number of their track
 * @entry: events that are not in the store yet
 * @tasks, @texts, @values: columns, the last one with 8 bytes for each value
 * @last_task: index of the task of the last event
 * @last_text: number of the last event that has a text, plus 1
 * @leave_out_values: set by the caller: the page would become too large with values
 * @without_values: the piece has none; it is @leave_out_values at the piece's first event
 */
struct events {
	unsigned int number;
	struct event_entry *entry;
	unsigned int nr, room;
	struct buf tasks, texts, values;
	uint32_t last_task;
	uint32_t last_text;
	bool leave_out_values;
	bool without_values;
	struct levels levels;
};

void events_init(struct events *events, unsigned int number);
void events_free(struct events *events);

/* Add an event, with its text, if it is not empty. Return 0 or a negative errno. */
int events_add(struct events *events, struct store *store, uint64_t ts,
	       const struct type *type, uint32_t task, const struct rbmap_event *ev,
	       const struct buf *text);

/* Events were lost. @lost may be RBMAP_LOST_UNKNOWN. Return 0 or a negative errno. */
int events_add_lost(struct events *events, struct store *store, uint64_t ts, uint64_t lost);

int events_flush(struct events *events, struct store *store);
/* After events_flush(): free the memory of the events. */
void events_shrink(struct events *events);
/* After the last event; @time: the time of the whole page */
int events_end(struct events *events, struct store *store, uint64_t time);

#endif /* RBMAP_REPORT_HTML_DATA_EVENTS_H */
