/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The payload of MESSAGE_SUBBUFS: a head, and consecutive sub-buffers of one ring. Each is a
 * size, an id, a time, and that many bytes of events. A sub-buffer that is cut goes on in
 * another one, so that a batch can be decoded without those before it. Events are lost
 * only before the first one of a batch. Numbers are little endian.
 */
#ifndef RBMAP_FLEET_MESSAGE_STREAM_BATCH_H
#define RBMAP_FLEET_MESSAGE_STREAM_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "message/message.h"

#define BATCH_FLUSH_SIZE	(512U << 10)	/* A batch of this size is complete. */

/**
 * struct stream_totals - sums of all messages of a source up to a place
 * @events: events in them
 * @lost: events that were lost before them, as far as that is known
 * @unknown: messages with MESSAGE_LOST_UNKNOWN
 */
struct stream_totals {
	uint64_t events;
	uint64_t lost;
	uint64_t unknown;
};

/**
 * struct batch_head - the beginning of the payload
 * @before: sums of the messages before this one: the difference to those of the
 *	last message that came says what is missing
 * @number: the number of the first event, among all events of its ring
 * @events: events in the batch
 * @begin, @end: CLOCK_REALTIME when the agent read the first and the last event
 */
struct batch_head {
	struct stream_totals before;
	uint64_t number;
	uint64_t events;
	uint64_t begin;
	uint64_t end;
};

struct batch_subbuf {
	uint32_t size;
	uint32_t id;
	uint64_t time;
};

/* Sums of the messages up to this one */
struct stream_totals batch_totals(const struct batch_head *head, uint64_t lost);

/* Return a sum of numbers that a host says of itself; INT64_MAX if it is more than that. */
uint64_t stream_sum(uint64_t a, uint64_t b);

/* Return whether no number of a message, and no sum of them, exceeds INT64_MAX. */
bool batch_numbers_fit(const struct batch_head *head, uint64_t lost);

/* Write the head into the room that batch_begin() has left. */
void batch_begin(struct buf *out);
void batch_end(struct buf *out, const struct batch_head *head);

/*
 * Begin a sub-buffer, and return its offset. batch_add() appends events to the one that
 * begins at @at, which is the last one.
 */
size_t batch_subbuf(struct buf *out, uint32_t id, uint64_t time);
void batch_add(struct buf *out, size_t at, const void *events, size_t size);

/**
 * struct batch_reader - a place in a payload
 * @copy: the current sub-buffer with a header in front of it
 */
struct batch_reader {
	const char *at;
	const char *end;
	struct buf copy;
};

/* Read the head. Return false if the payload has none. */
bool batch_open(struct batch_reader *r, struct batch_head *head, const void *data, size_t size);

/*
 * Go to the next sub-buffer; r->copy then is what rbmap_decode() takes. Return 1, 0 at the
 * end, or a negative errno; -EINVAL: the payload is damaged.
 */
int batch_next(struct batch_reader *r, struct batch_subbuf *subbuf);
void batch_close(struct batch_reader *r);

/* Decode all events. Return whether the payload is valid, and as many as the head says. */
bool batch_is_valid(const void *data, size_t size);

#endif /* RBMAP_FLEET_MESSAGE_STREAM_BATCH_H */
