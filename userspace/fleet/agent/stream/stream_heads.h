/* SPDX-License-Identifier: GPL-2.0-only */
/* The messages HEAD and CLOCK of a buffer */
#ifndef RBMAP_FLEET_AGENT_STREAM_STREAM_HEADS_H
#define RBMAP_FLEET_AGENT_STREAM_STREAM_HEADS_H

#include <rbmap.h>
#include <stdbool.h>
#include <stdint.h>

#include "batching.h"
#include "message/stream/stream.h"
#include "recording/write/cmdlines.h"
#include "stream_access.h"

#define HEADS_IDS	65536

/**
 * struct stream_heads - state of the messages HEAD and CLOCK of a buffer
 * @source: the source of the messages, and the number of the next one
 * @clock, @page_size: those that all rings have
 * @seen: events that came
 * @formats: their formats
 * @due: the next batch has an event of a kind that is new
 * @names_due: when names of threads are looked at again, by CLOCK_MONOTONIC
 * @names: the names in the last HEAD
 */
struct stream_heads {
	const struct batch_target *target;
	const struct stream_access *access;
	struct stream_source source;
	uint64_t seq;
	int clock;
	uint32_t page_size;
	uint32_t nr_cpus;
	bool seen[HEADS_IDS];
	struct dat_format *formats;
	uint32_t nr_formats;
	bool due;
	uint64_t names_due;
	struct comm_fields *fields;
	struct cmdlines *cmdlines;
	struct buf names;
};

/* Return false if memory is short. */
bool stream_heads_begin(struct stream_heads *h, const struct batch_target *target,
			const struct stream_access *access, const char *buffer,
			uint64_t incarnation);
void stream_heads_free(struct stream_heads *h);

/* An event goes into a batch. */
void stream_heads_event(struct stream_heads *h, const struct rbmap_event *ev);
/* Append a HEAD if one is due. */
void stream_heads_send(struct stream_heads *h);
/* Append a CLOCK, and a HEAD if there are new names. */
void stream_heads_clock(struct stream_heads *h);

#endif /* RBMAP_FLEET_AGENT_STREAM_STREAM_HEADS_H */
