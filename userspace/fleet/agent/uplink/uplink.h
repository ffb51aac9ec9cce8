/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The agent's transport, which may fail for days: it is opened again, errors are reported
 * once, and messages are published when the other side is back.
 */
#ifndef RBMAP_FLEET_AGENT_UPLINK_UPLINK_H
#define RBMAP_FLEET_AGENT_UPLINK_UPLINK_H

#include <stdbool.h>
#include <stdint.h>

#include "backoff.h"
#include "base/buf.h"
#include "message/message.h"
#include "transport/transport.h"

#define OUTLET_BATCH	4	/* parcels that are published at once */

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
	struct parcel parcel[OUTLET_BATCH];
	struct buf bytes[OUTLET_BATCH];
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
 * negative errno. At most OUTLET_BATCH messages are added before they are published.
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
