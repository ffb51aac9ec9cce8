/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbered events of a CPU that a reader has got, and the missing ones. */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../emit/emit.h"

/* Most tiny events between two events with a number. */
#define STREAM_TINIES	1024

/**
 * struct stream - a CPU's events
 * @cpu: number of the CPU
 * @rule: rule of emit.ko's events; NULL: the events come from the marker
 * @slack: most by which the clock may differ between two readings
 * @next: number of the next event if none is lost, by context
 * @received: number of events received, by context
 * @missing: number of events skipped, by context
 * @told: number of lost events that the sub-buffers reported
 * @behind: bit mask of the contexts that have no event since the last loss
 * @places: number of losses that could be compared with the missing events
 * @misplaced: number of losses that differ from the missing events
 * @late: number of events behind a gap that was not reported yet
 * @bytes: bytes of payload that were compared with their expected contents
 * @largest: size of the largest event
 * @tiny: number of tiny events, by size
 * @time: time of the last event
 * @timed: number of events whose time was compared with the clock
 * @tinies: tiny events since the last event with a number
 * @quiet: events are not checked
 * @error: the first fault found
 */
struct stream {
	int			cpu;
	const struct emit_rule	*rule;
	uint64_t		slack;
	uint64_t		next[EMIT_CONTEXTS];
	uint64_t		received[EMIT_CONTEXTS];
	uint64_t		missing[EMIT_CONTEXTS];
	uint64_t		reported;
	unsigned int		behind;
	uint64_t		places;
	uint64_t		misplaced;
	uint64_t		late;
	uint64_t		bytes;
	uint64_t		largest;
	uint64_t		tiny[EMIT_TINY];
	uint64_t		time;
	uint64_t		timed;
	bool			backwards;
	unsigned int		nr_tinies;
	char			tinies[STREAM_TINIES][EMIT_TINY - 1];
	char			*expected;
	bool			quiet;
	char			error[128];
};

void stream_begin(struct stream *stream, int cpu, const struct emit_rule *rule,
		  uint64_t slack, const uint64_t *first);

/*
 * Check the new bytes [from, to) of a sub-buffer. If the sub-buffer's beginning
 * is new and it reports a loss without a number, @in_meta is the number.
 */
void stream_subbuf(struct stream *stream, const void *subbuf, size_t size,
		   size_t from, size_t to, uint64_t in_meta, bool has_meta);

/* The next event is preceded by a loss of @lost events. */
void stream_lost(struct stream *stream, uint64_t lost);

/* All events were read: count those that are missing behind the last one. */
void stream_end(struct stream *stream, const uint64_t *end);

uint64_t stream_sum(const uint64_t *by_context);

void stream_wrong(struct stream *stream, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* STREAM_H */
