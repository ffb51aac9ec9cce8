/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The agent's transport, which may fail for days: it is opened again, errors are reported
 * once, and messages are published when the other side is back.
 */
#ifndef RBMAP_FLEET_AGENT_UPLINK_UPLINK_H
#define RBMAP_FLEET_AGENT_UPLINK_UPLINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "message/message.h"
#include "transport/transport.h"

#define UPLINK_BATCH	4	/* parcels that are published at once */

/**
 * struct backoff - an error that may last: reported once, and again when it is over
 * @text: the error; "": all is well
 * @delay: ns until the next attempt
 * @retry: time of the next attempt, by CLOCK_MONOTONIC
 */
struct backoff {
	char text[320];
	uint64_t delay;
	uint64_t retry;
};

/*
 * An attempt failed. Report the error if it is a new one. The next attempt comes after a
 * second at first, and a minute at most, each time with another fraction.
 */
void backoff_failed(struct backoff *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* An attempt succeeded. If there was an error, report that @what works again, return true. */
bool backoff_over(struct backoff *t, const char *what);

/* Return whether the next attempt is due, as it is without an error. */
bool backoff_due(const struct backoff *t);

/* Return whether the error lasts so long that the delay is the longest. */
bool backoff_is_long(const struct backoff *t);

/**
 * struct uplink - the agent's transport, and messages for it
 * @options: URL and credentials of the transport
 * @boot: id of this boot
 * @is_open: @transport is open
 * @publishing, @receiving: lasting errors of publishing and receiving
 * @parcel, @bytes: messages that were added, and not published yet
 * @nr: their number
 * @published: time of the last success, in ns since 1970; 0: none
 */
struct uplink {
	struct transport_options options;
	char boot[BOOT_ID_SIZE];
	struct transport transport;
	bool is_open;
	struct backoff publishing;
	struct backoff receiving;
	struct parcel parcel[UPLINK_BATCH];
	struct buf bytes[UPLINK_BATCH];
	unsigned int nr;
	uint64_t published;
};

/*
 * Open the transport if that is due. Return 0, or a negative errno; -EINVAL: the
 * URL is invalid.
 */
int uplink_open(struct uplink *o);
void uplink_close(struct uplink *o);

/* Return whether it is time to publish. */
bool uplink_ready(const struct uplink *o);

/*
 * Add a message to the collector, with the id of @source, a dot and @fmt. Return 0 or a
 * negative errno. At most UPLINK_BATCH messages are added before they are published.
 */
int uplink_add(struct uplink *o, enum message_kind kind, const char *source, uint64_t seq,
	       uint64_t lost, const void *data, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 8, 9)));

/* The same, of another boot */
int uplink_add_of(struct uplink *o, enum message_kind kind, const char *boot, const char *source,
		  uint64_t seq, uint64_t lost, const void *data, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 9, 10)));

/* Add a message that message_encode() has made. */
int uplink_add_encoded(struct uplink *o, const char *source, const struct buf *message,
		       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Publish what was added. Return 0, or a negative errno, and report the error once. */
int uplink_publish(struct uplink *o);

/* Free the memory of messages. */
void uplink_shrink(struct uplink *o);

#endif /* RBMAP_FLEET_AGENT_UPLINK_UPLINK_H */
