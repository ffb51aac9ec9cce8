/* SPDX-License-Identifier: GPL-2.0-only */
/* Make the two streams, and the collector's consumer. The administrator does this. */
#ifndef RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_STREAMS_H
#define RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_STREAMS_H

#include <stdint.h>

#include "transport/transport.h"

/**
 * struct streams_plan - how the streams are to be
 * @replicas: number of servers that have a copy; 0: 3 in a cluster, else 1. Becomes the
 *	number that the streams have.
 * @bytes: limit of the stream from the hosts; 0: as it is, or STREAM_BYTES
 */
struct streams_plan {
	unsigned int replicas;
	uint64_t bytes;
};

#define STREAM_BYTES	(16ULL << 30)

/*
 * Make the streams, or change them. @t is a transport of the administrator. Return 0 or a
 * negative errno, with a text in @t.
 */
int jetstream_streams(struct transport *t, struct streams_plan *plan);

#endif /* RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_STREAMS_H */
