/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of streams that were removed before the collector had them: one range for each
 * source, in the file "gaps" of the spool of streams. A range stays until the collector has
 * got it.
 */
#ifndef RBMAP_FLEET_AGENT_STREAM_STREAM_GAPS_H
#define RBMAP_FLEET_AGENT_STREAM_STREAM_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream_segment.h"

#define STREAM_GAPS_MAX	16384

/**
 * struct stream_gap - messages that are gone
 * @first, @last: their numbers
 * @events: events in them
 * @lost: events that were lost before them, as the messages counted
 * @after: sums up to the last one
 * @number: number of the event behind them
 * @sent: the gap was published in its present form
 */
struct stream_gap {
	char source[SOURCE_NAME_SIZE];
	char boot[40];
	uint64_t first;
	uint64_t last;
	uint64_t events;
	uint64_t lost;
	struct stream_totals after;
	uint64_t number;
	uint64_t sent;
};

struct stream_gaps {
	struct stream_gap *v;
	size_t nr;
	size_t room;
};

/* Read and write the file. Return 0 or a negative errno. */
int stream_gaps_read(struct stream_gaps *gaps, int dir);
int stream_gaps_write(const struct stream_gaps *gaps, int dir);
void stream_gaps_free(struct stream_gaps *gaps);

struct stream_gap *stream_gaps_find(const struct stream_gaps *gaps, const char *source);

/* Add a message to the gap of its source. Return 0 or a negative errno. */
int stream_gaps_add(struct stream_gaps *gaps, const struct stream_record *record,
		    const char *boot);

/* The collector has all before @next. Return whether a gap was removed. */
bool stream_gaps_stored(struct stream_gaps *gaps, const char *source, uint64_t next);

#endif /* RBMAP_FLEET_AGENT_STREAM_STREAM_GAPS_H */
