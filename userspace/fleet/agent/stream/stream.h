/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread that observes the rings of buffers, and fills the spool of streams */
#ifndef RBMAP_FLEET_AGENT_STREAM_STREAM_H
#define RBMAP_FLEET_AGENT_STREAM_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "batching.h"
#include "stream_access.h"
#include "stream_heads.h"
#include "stream_spool.h"

#define STREAM_BUFFERS_MAX	16

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
 * @told: an error was reported
 */
struct stream_buffer {
	const struct stream_access *access;
	struct batch_target target;
	struct stream_heads heads;
	struct stream_ring *ring;
	unsigned int nr;
	uint64_t look;
	uint64_t moment;
	bool told;
};

struct stream {
	struct stream_spool *spool;
	struct stream_buffer buffer[STREAM_BUFFERS_MAX];
	unsigned int nr;
	pthread_t thread;
	bool running;
	atomic_bool stop;
};

/*
 * Begin to read @nr buffers. @host and @boot stay valid. Return 0 or a negative errno.
 */
int stream_begin(struct stream *s, struct stream_spool *spool, const struct stream_access *access,
		 const char *const *buffers, unsigned int nr, const char *host, const char *boot);
/* End, and append the batches that are open. */
void stream_end(struct stream *s);

#endif /* RBMAP_FLEET_AGENT_STREAM_STREAM_H */
