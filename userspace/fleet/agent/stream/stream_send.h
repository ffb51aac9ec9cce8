/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Send messages of streams from the spool to the collector, a limited number ahead of its
 * confirmation. If the collector answers, and lacks messages, they are sent again.
 */
#ifndef RBMAP_FLEET_AGENT_STREAM_STREAM_SEND_H
#define RBMAP_FLEET_AGENT_STREAM_STREAM_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/uplink/uplink.h"
#include "message/message.h"
#include "stream_spool.h"

#define STREAM_WINDOW		256
#define STREAM_WINDOW_BYTES	(16U << 20)
#define STREAM_PATIENCE		10000	/* ms without an answer of the collector */

struct stream_flight {
	char source[SOURCE_NAME_SIZE];
	uint64_t seq;
	size_t size;
};

/**
 * struct stream_sender - its state
 * @attempt: makes ids of messages that are sent again different
 * @flight: messages that the collector has not confirmed
 * @progress: when it confirmed the last one, or the first of these was sent
 * @asked: when a HELLO has asked for them
 * @synced: when the spool was written to the disk
 * @patience: ms without progress, after which they are sent again
 * @backoff: an error of the spool that lasts
 */
struct stream_sender {
	struct stream_cursor cursor;
	uint64_t attempt;
	struct stream_flight flight[STREAM_WINDOW];
	unsigned int nr;
	size_t bytes;
	uint64_t progress;
	uint64_t asked;
	uint64_t synced;
	unsigned int patience;
	struct backoff backoff;
};

/* Send some messages. Return 1: there may be more, 0, or a negative errno. */
int stream_send(struct stream_sender *s, struct stream_spool *spool, struct uplink *uplink);

/* Handle a message STORED for streams, which lists what the collector has. */
void stream_send_stored(struct stream_sender *s, struct stream_spool *spool,
			const struct message *m);

/* Return whether a HELLO must ask what the collector has. */
bool stream_send_asks(struct stream_sender *s, struct stream_spool *spool);

#endif /* RBMAP_FLEET_AGENT_STREAM_STREAM_SEND_H */
