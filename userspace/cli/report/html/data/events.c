// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "events.h"
#include "pack.h"
#include "types.h"

#define FIRST_ROOM	256
#define NO_NUMBER	(-1)	/* the number of lost events is not known */

void events_init(struct events *events, unsigned int number)
{
	*events = (struct events){ .number = number, .levels.mode = TRACK_EVENTS };
}

void events_free(struct events *events)
{
	free(events->entry);
	buf_free(&events->tasks);
	buf_free(&events->texts);
	buf_free(&events->values);
	levels_free(&events->levels);
}

/* Add an entry without values. */
static int add_entry(struct events *events, struct store *store, uint64_t ts, uint32_t type,
		     uint32_t task)
{
	int ret = 0;

	if (events->nr == MOST_EVENTS)
		ret = events_flush(events, store);
	else if (!array_reserve(events->entry, events->room,
				events->nr ? events->nr + 1 : FIRST_ROOM))
		ret = -ENOMEM;
	if (ret)
		return ret;
	if (!events->nr)
		events->without_values = events->leave_out_values;
	events->entry[events->nr++] = (struct event_entry){
		.ts = ts, .type = type, .value = events->values.size / sizeof(int64_t),
	};
	/* Most events have the same task as the event before them. */
	pack_number(&events->tasks, task == events->last_task ? 0 : task + 1);
	events->last_task = task;
	return 0;
}

static void add_value(struct events *events, int64_t value)
{
	buf_add(&events->values, &value, sizeof(value));
}

static void add_text(struct events *events, const struct buf *text)
{
	pack_number(&events->texts, events->nr - events->last_text);
	events->last_text = events->nr;
	pack_number(&events->texts, text->size);
	buf_add(&events->texts, text->data, text->size);
}

static int result(const struct events *events)
{
	return events->tasks.failed || events->texts.failed || events->values.failed ?
	       -ENOMEM : 0;
}

int events_add(struct events *events, struct store *store, uint64_t ts,
	       const struct type *type, uint32_t task, const struct rbmap_event *ev,
	       const struct buf *text)
{
	int ret = add_entry(events, store, ts, type->index, task);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < type->nr_fields && !events->without_values; i++)
		add_value(events, type_value(&type->field[i], ev));
	if (text->size)
		add_text(events, text);
	return result(events);
}

int events_add_lost(struct events *events, struct store *store, uint64_t ts, uint64_t lost)
{
	int ret = add_entry(events, store, ts, 0, events->last_task);

	if (ret)
		return ret;
	add_value(events, lost == RBMAP_LOST_UNKNOWN ? NO_NUMBER : (int64_t)lost);
	return result(events);
}

/* ---- into the store */
/* The entries in the order of their types */
struct order {
	uint16_t entry[MOST_EVENTS];
	uint32_t nr_types;
	uint32_t *end;		/* by type: the place behind its last entry */
};

static bool sort_by_type(const struct events *events, struct order *order)
{
	uint32_t *at;

	order->nr_types = 0;
	for (unsigned int i = 0; i < events->nr; i++)
		if (events->entry[i].type >= order->nr_types)
			order->nr_types = events->entry[i].type + 1;
	at = calloc(order->nr_types + 1, sizeof(*at));
	if (!at)
		return false;
	for (unsigned int i = 0; i < events->nr; i++)
		at[events->entry[i].type + 1]++;
	for (unsigned int i = 0; i < order->nr_types; i++)
		at[i + 1] += at[i];
	for (unsigned int i = 0; i < events->nr; i++)
		order->entry[at[events->entry[i].type]++] = i;
	order->end = at;
	return true;
}

/* Return how many values an event has. */
static unsigned int nr_values(const struct events *events, unsigned int i)
{
	uint32_t end = i + 1 < events->nr ? events->entry[i + 1].value :
		       events->values.size / sizeof(int64_t);

	return end - events->entry[i].value;
}

/* Append a column for each field of a type. */
static void pack_type(const struct events *events, const uint16_t *entry, unsigned int nr,
		      struct buf *data)
{
	struct buf column = { 0 };
	unsigned int fields = nr_values(events, entry[0]);
	int64_t value;

	for (unsigned int field = 0; field < fields; field++) {
		for (unsigned int i = 0; i < nr; i++) {
			size_t at = events->entry[entry[i]].value + field;

			memcpy(&value, events->values.data + at * sizeof(value), sizeof(value));
			pack_signed(&column, value);
		}
		pack_column(data, &column);
	}
	buf_free(&column);
}

static bool pack_values(const struct events *events, struct buf *data)
{
	struct order order = { 0 };
	uint32_t begin = 0;

	if (!sort_by_type(events, &order))
		return false;
	for (uint32_t type = 0; type < order.nr_types; type++) {
		if (order.end[type] > begin)
			pack_type(events, order.entry + begin, order.end[type] - begin, data);
		begin = order.end[type];
	}
	free(order.end);
	return true;
}

static bool pack(struct events *events, struct piece *piece, struct buf *data)
{
	struct buf times = { 0 }, types = { 0 };
	uint64_t last = piece->begin;

	for (unsigned int i = 0; i < events->nr; i++) {
		const struct event_entry *entry = &events->entry[i];

		pack_number(&times, entry->ts - last);
		pack_number(&types, entry->type);
		piece->mask |= 1u << entry->type % 32;
		last = entry->ts;
	}
	pack_column(data, &times);
	pack_column(data, &types);
	pack_column(data, &events->tasks);
	pack_column(data, &events->texts);
	pack_number(data, !events->without_values);
	buf_free(&times);
	buf_free(&types);
	return pack_values(events, data);
}

static void add_levels(struct events *events, unsigned int finest)
{
	levels_close(&events->levels, finest);
	for (unsigned int i = 0; i < events->nr; i++)
		levels_add_event(&events->levels, finest, events->entry[i].ts,
				 events->entry[i].type);
}

/* Forget the last task and text: the browser decodes each piece alone. */
static void begin_piece(struct events *events)
{
	events->nr = 0;
	events->values.size = 0;
	events->last_task = 0;
	events->last_text = 0;
}

int events_flush(struct events *events, struct store *store)
{
	struct piece piece = { .kind = PIECE_EVENTS, .owner = events->number,
			       .count = events->nr };
	struct buf data = { 0 };
	int ret;

	if (!events->nr)
		return 0;
	piece.begin = events->entry[0].ts;
	piece.end = events->entry[events->nr - 1].ts;
	piece.level = levels_finest(piece.end - piece.begin, piece.count);
	ret = pack(events, &piece, &data) ? 0 : -ENOMEM;
	add_levels(events, piece.level);
	if (!ret)
		ret = store_add(store, &piece, &data);
	buf_free(&data);
	if (!ret)
		ret = levels_flush(&events->levels, events->number, store);
	begin_piece(events);
	return ret;
}

void events_shrink(struct events *events)
{
	free(events->entry);
	events->entry = NULL;
	events->room = 0;
	buf_free(&events->tasks);
	buf_free(&events->texts);
	buf_free(&events->values);
	begin_piece(events);
}

int events_end(struct events *events, struct store *store, uint64_t time)
{
	int ret = events_flush(events, store);

	return ret ? ret : levels_end(&events->levels, events->number, store, time);
}
