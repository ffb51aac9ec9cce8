/* SPDX-License-Identifier: GPL-2.0-only */
/* What a reader has seen of a CPU's numbered events, and what is missing. */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emit/emit.h"

/* Tiny events between two that have a number. */
#define STREAM_TINIES	1024

/**
 * struct stream - a CPU's events
 * @cpu: which
 * @rule: of emit.ko's events; NULL: they come from the marker
 * @slack: by how much the clock may be off between two looks at it
 * @next: number that comes next, by context, if nothing is lost
 * @received: events, by context
 * @missing: numbers that were skipped over, by context
 * @reported: lost, as the sub-buffers say
 * @behind: contexts that have no event since the last loss, as bits
 * @places: losses that could be compared with what is missing there
 * @misplaced: those that differ
 * @late: events behind a gap that was not told yet
 * @bytes: of payload that were compared with what they must be
 * @largest: of one event
 * @tiny: tiny events, by size
 * @time: of the last event
 * @timed: events whose time was compared with the clock
 * @tinies: tiny events that wait for the next number of their context
 * @quiet: nothing is looked at
 * @error: the first thing that is wrong
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
 * Bytes [from, to) of a sub-buffer are new.  Where its beginning is new and it
 * says of a loss without a number, @in_meta is that.
 */
void stream_subbuf(struct stream *stream, const void *subbuf, size_t size,
		   size_t from, size_t to, uint64_t in_meta, bool has_meta);

/* So many were lost before what comes next. */
void stream_lost(struct stream *stream, uint64_t lost);

/* All was read: what is missing behind the last events? */
void stream_end(struct stream *stream, const uint64_t *end);

uint64_t stream_sum(const uint64_t *by_context);

void stream_wrong(struct stream *stream, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* STREAM_H */
