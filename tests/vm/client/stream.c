// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "stream.h"

void stream_wrong(struct stream *stream, const char *format, ...)
{
	va_list args;

	if (stream->error[0])
		return;
	va_start(args, format);
	vsnprintf(stream->error, sizeof(stream->error), format, args);
	va_end(args);
}

void stream_begin(struct stream *stream, int cpu, const struct emit_rule *rule,
		  uint64_t slack, const uint64_t *first)
{
	free(stream->expected);
	memset(stream, 0, sizeof(*stream));
	stream->cpu = cpu;
	stream->rule = rule;
	stream->slack = slack;
	memcpy(stream->next, first, sizeof(stream->next));
	if (rule)
		stream->expected = malloc(rule->max);
}

uint64_t stream_sum(const uint64_t *by_context)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < EMIT_CONTEXTS; i++)
		sum += by_context[i];
	return sum;
}

/*
 * The context that writes tiny events has come to @number. The tiny events that
 * were read since its last number belong to it, in order. Their contents are
 * known, so each of them must match an expected event; the other expected
 * events are missing.
 */
static void stream_tinies(struct stream *stream, unsigned int context,
			  uint64_t number)
{
	unsigned int who = emit_who(stream->cpu, context), seen = 0;
	uint64_t i;

	for (i = stream->next[context]; i < number &&
	     seen < stream->nr_tinies; i++) {
		unsigned int size = emit_size(stream->rule, who, i);
		char expected[EMIT_TINY];

		if (size >= EMIT_TINY)
			continue;
		emit_fill(expected, size, who, i, 0, 0);
		if (!memcmp(expected, stream->tinies[seen], size)) {
			stream->bytes += size;
			stream->tiny[size]++;
			seen++;
		}
	}
	if (seen < stream->nr_tinies)
		stream_wrong(stream, "%u tiny events before %" PRIu64
			     " of context %u that were not written there",
			     stream->nr_tinies - seen, number, context);
	stream->received[context] += seen;
	stream->missing[context] += number - stream->next[context] - seen;
	stream->nr_tinies = 0;
}

/* The next event of a context has this number. */
static void stream_goes_to(struct stream *stream, unsigned int context,
			   uint64_t number)
{
	if (stream->rule &&
	    emit_writes_tiny(stream->rule, emit_who(stream->cpu, context)))
		stream_tinies(stream, context, number);
	else
		stream->missing[context] += number - stream->next[context];
	stream->next[context] = number;
}

static void stream_number(struct stream *stream, unsigned int context,
			  uint64_t number)
{
	if (number < stream->next[context]) {
		stream_wrong(stream, "number %" PRIu64
			     " of context %u comes again", number, context);
		return;
	}
	stream_goes_to(stream, context, number);
	stream->next[context]++;
	stream->received[context]++;
	if (stream->behind & 1u << context) {
		stream->behind &= ~(1u << context);
		/*
		 * Each context has an event since the last loss, so the missing
		 * events are known.
		 */
		if (!stream->behind) {
			stream->places++;
			stream->misplaced += stream->reported !=
					     stream_sum(stream->missing);
		}
	}
}

static void stream_tiny(struct stream *stream, const struct record *record)
{
	if (stream->nr_tinies == STREAM_TINIES) {
		stream_wrong(stream, "too many tiny events in a row");
		return;
	}
	memcpy(stream->tinies[stream->nr_tinies++], record->payload,
	       EMIT_TINY - 1);
}

/* The time of an event is that of its reservation. */
static void stream_clock(struct stream *stream, const struct record *record,
			 const struct emit_event *event)
{
	if (record->time + stream->slack < event->before)
		stream_wrong(stream, "event %u of context %u: time %" PRIu64
			     " is %" PRIu64 " too early", event->number,
			     event->who % 8, record->time,
			     (uint64_t)event->before - record->time);
	if (event->after && record->time > event->after + stream->slack)
		stream_wrong(stream, "event %u of context %u: time %" PRIu64
			     " is %" PRIu64 " too late", event->number,
			     event->who % 8, record->time,
			     record->time - (uint64_t)event->after);
	stream->timed++;
}

static void stream_emitted(struct stream *stream, const struct record *record)
{
	struct emit_event event = { 0 };
	unsigned int context, size;
	size_t at;

	/* Only tiny events are so short in the ring. */
	if (record->size < EMIT_TINY) {
		stream_tiny(stream, record);
		return;
	}
	memcpy(&event, record->payload, record->size < sizeof(event) ?
	       record->size : sizeof(event));
	context = event.who % 8;
	if (event.who / 8 != stream->cpu || context >= EMIT_CONTEXTS) {
		stream_wrong(stream, "%zu bytes that are no event of ours",
			     record->size);
		return;
	}
	size = emit_size(stream->rule, event.who, event.number);
	/* The length may be rounded up by 11 bytes at most. */
	if (size < EMIT_TINY || size > stream->rule->max ||
	    record->size < size || record->size - size > 11) {
		stream_wrong(stream, "event %u of context %u has %zu bytes, not %u",
			     event.number, context, record->size, size);
		return;
	}
	emit_fill(stream->expected, size, event.who, event.number,
		  event.before, event.after);
	if (memcmp(stream->expected, record->payload, size)) {
		for (at = 0; stream->expected[at] == record->payload[at]; at++)
			;
		stream_wrong(stream, "event %u of context %u is damaged at %zu of %u",
			     event.number, context, at, size);
		return;
	}
	stream->bytes += size;
	if (size > stream->largest)
		stream->largest = size;
	if (size >= sizeof(event))
		stream_clock(stream, record, &event);
	stream_number(stream, context, event.number);
}

static void stream_event(struct stream *stream, const struct record *record)
{
	uint64_t number;

	if (record->time < stream->time)
		stream->backwards = true;
	stream->time = record->time;
	if (stream->rule)
		stream_emitted(stream, record);
	else if (record_number(record, &number))
		stream_number(stream, EMIT_TASK, number);
	else
		stream_wrong(stream, "an event that is none of ours");
	stream->late += stream_sum(stream->missing) > stream->reported;
}

void stream_lost(struct stream *stream, uint64_t lost)
{
	stream->reported += lost;
	stream->behind = stream->rule ? (1u << EMIT_CONTEXTS) - 1 :
					1u << EMIT_TASK;
}

void stream_subbuf(struct stream *stream, const void *subbuf, size_t size,
		   size_t from, size_t to, uint64_t in_meta, bool has_meta)
{
	struct cursor cursor;
	struct record record;
	uint64_t lost = 0;

	if (stream->quiet)
		return;
	if (!from && !subbuf_lost(subbuf, size, &lost)) {
		/* The sub-buffer has no room for the number; the meta-page has it. */
		if (!has_meta)
			stream_wrong(stream, "a loss without its number");
		lost = in_meta;
	}
	if (lost)
		stream_lost(stream, lost);
	cursor_begin(&cursor, subbuf);
	cursor.end = to;
	while (cursor_next(&cursor, &record))
		if (cursor.at > from)
			stream_event(stream, &record);
	if (cursor.bad)
		stream_wrong(stream, "at %zu: %s", cursor.at, cursor.bad);
}

void stream_end(struct stream *stream, const uint64_t *end)
{
	int context;

	for (context = 0; context < EMIT_CONTEXTS; context++) {
		if (end[context] < stream->next[context])
			stream_wrong(stream, "context %d has written %" PRIu64
				     ", and %" PRIu64 " has come", context,
				     end[context], stream->next[context] - 1);
		else
			stream_goes_to(stream, context, end[context]);
	}
}
