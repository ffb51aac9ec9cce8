/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Make messages of the pieces of one ring, and append them to the spool of streams. The
 * ring numbers its events, so that each one comes once, also after a restart of the agent.
 */
#ifndef RBMAP_FLEET_AGENT_STREAM_BATCHING_H
#define RBMAP_FLEET_AGENT_STREAM_BATCHING_H

#include <rbmap.h>
#include <stdbool.h>
#include <stdint.h>

#include "stream_spool.h"

#define BATCH_AGE	1000000000ULL	/* ns; then a batch is complete */

/**
 * struct batch_target - destination of a batch
 * @host, @boot: names in messages
 * @event: called for each event that goes into a batch
 * @prepare: called before a batch is appended
 */
struct batch_target {
	struct stream_spool *spool;
	const char *host;
	const char *boot;
	void (*event)(void *data, const struct rbmap_event *ev);
	void (*prepare)(void *data);
	void *data;
};

/**
 * struct batching - the batch of a ring
 * @source: the source of the messages; its generation is 0 before the first piece
 * @totals: sums of the messages up to now
 * @payload: the batch
 * @at: offset of its last sub-buffer, to which events can be added; 0: there is no such one
 * @lost: events that were lost before the batch, or MESSAGE_LOST_UNKNOWN
 * @cursor: position of the decoder in the ring's sub-buffer
 * @number: number of the next event
 * @time: the ring's time of the last event
 * @skip: events that an earlier run has sent
 * @opened: time at which the batch got its first event, by CLOCK_MONOTONIC
 */
struct batching {
	const struct batch_target *target;
	struct stream_source source;
	uint64_t seq;
	struct stream_totals totals;
	struct buf payload;
	size_t at;
	struct batch_head head;
	uint64_t lost;
	struct rbmap_cursor cursor;
	uint64_t number;
	uint64_t time;
	uint64_t skip;
	uint64_t opened;
};

void batching_begin(struct batching *b, const struct batch_target *target, const char *buffer,
		    int cpu, uint64_t incarnation);
void batching_free(struct batching *b);

/*
 * Add a piece with @events events. @number: number of the event behind it. @generation: that
 * of the ring
 */
void batching_add(struct batching *b, const struct rbmap_subbuf *sb, uint64_t events,
		  uint64_t number, uint32_t generation);

/* Append the batch to the spool. If that fails, its events are lost, and counted. */
void batching_flush(struct batching *b);
bool batching_is_due(const struct batching *b);

#endif /* RBMAP_FLEET_AGENT_STREAM_BATCHING_H */
