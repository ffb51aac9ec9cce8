/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread that observes the rings of buffers, and fills the spool of streams. batching.c makes
 * messages of the pieces of a ring, and stream_heads.c the messages HEAD and CLOCK of a buffer.
 */
#ifndef RBMAP_FLEET_AGENT_STREAM_STREAM_H
#define RBMAP_FLEET_AGENT_STREAM_STREAM_H

#include <pthread.h>
#include <rbmap.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "message/stream/stream.h"
#include "recording/write/cmdlines.h"
#include "stream_spool.h"

#define STREAM_BUFFERS_MAX	16
#define SYSTEM_NAME_SIZE	64
#define HEADS_IDS		65536
#define BATCH_AGE		1000000000ULL	/* ns; then a batch is complete */

/**
 * struct stream_access - where the rings of a buffer, their clock and the formats of their events
 *	come from: the kernel, or a test
 * @list: Store the CPUs that have a ring. Return their number or a negative error.
 * @open: Observe the ring of a CPU. Return 0 or a negative error.
 * @moment: Read the ring's clock with the others. Return 0 or a negative error.
 * @missed: Read how many events the kernel has missed on a CPU. Return 0 or a negative error.
 * @format: Append the format of an event, without a final 0, and store its system.
 *	Return 0 or a negative error.
 */
struct stream_access {
	int (*list)(const char *buffer, int *cpus, int most);
	int (*open)(struct rbmap_map **map, const char *buffer, int cpu);
	int (*moment)(struct rbmap_moment *moment, const char *buffer, int clock);
	int (*missed)(const char *buffer, int cpu, uint64_t *missed);
	int (*format)(struct buf *text, char system[SYSTEM_NAME_SIZE], const char *buffer,
		      unsigned int id);
};

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
 * struct batching - the batch of a ring: makes messages of its pieces, and appends them to the
 *	spool. The ring numbers its events, so that each one comes once, also after a restart of
 *	the agent.
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

/**
 * struct stream_ring - the ring of a CPU
 * @map: NULL: it is gone, and can come again
 */
struct stream_ring {
	int cpu;
	struct rbmap_map *map;
	struct batching batching;
};

/**
 * struct stream_buffer - a buffer
 * @look: when its CPUs are listed again, by CLOCK_MONOTONIC
 * @moment: when the next message CLOCK is due
 * @complained: an error was reported
 */
struct stream_buffer {
	const struct stream_access *access;
	struct batch_target target;
	struct stream_heads heads;
	struct stream_ring *ring;
	unsigned int nr;
	uint64_t look;
	uint64_t moment;
	bool complained;
};

struct stream {
	struct stream_spool *spool;
	struct stream_buffer buffer[STREAM_BUFFERS_MAX];
	unsigned int nr;
	pthread_t thread;
	bool running;
	atomic_bool stop;
};

extern const struct stream_access stream_access_kernel;

/*
 * Begin to read @nr buffers. @host and @boot stay valid. Return 0 or a negative errno.
 */
int stream_begin(struct stream *s, struct stream_spool *spool, const struct stream_access *access,
		 const char *const *buffers, unsigned int nr, const char *host, const char *boot);
/* End, and append the batches that are open. */
void stream_end(struct stream *s);

/* batching.c: the batch of a ring */
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

/* stream_heads.c: return false if memory is short. */
bool stream_heads_begin(struct stream_heads *h, const struct batch_target *target,
			const struct stream_access *access, const char *buffer,
			uint64_t incarnation);
void stream_heads_free(struct stream_heads *h);

/* An event goes into a batch. */
void stream_heads_event(struct stream_heads *h, const struct rbmap_event *ev);
/* Append a HEAD if one is due. */
void stream_heads_send(struct stream_heads *h);
/* Append a CLOCK with what these CPUs have missed, and a HEAD if there are new names. */
void stream_heads_clock(struct stream_heads *h, const struct stream_ring *rings, unsigned int nr);

#endif /* RBMAP_FLEET_AGENT_STREAM_STREAM_H */
