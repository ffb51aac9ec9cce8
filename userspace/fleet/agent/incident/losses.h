/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of incidents that were removed before they were sent: a file in the spool's
 * folder "losses" for each, until the collector has stored it. Beyond LOSSES_MAX the
 * records become one with their sums. The files have the lines of the message, and
 * "sent = yes" when the record was sent.
 */
#ifndef RBMAP_FLEET_AGENT_INCIDENT_LOSSES_H
#define RBMAP_FLEET_AGENT_INCIDENT_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "message/message.h"

#define LOSSES_MAX	256
/*
 * The number of records that may wait for an answer. All others can still become a sum,
 * whereas a record that was sent may be stored, and would be counted twice. The limit also
 * bounds the answers to a host.
 */
#define LOSSES_SENT_MAX	32

struct loss {
	char id[SOURCE_NAME_SIZE];
	bool sent;
};

struct losses {
	int dir;
	size_t nr;
	struct loss v[LOSSES_MAX];
};

/* The numbers of a record, or the sums of several */
struct loss_sums {
	char file[256];
	uint64_t size;
	uint64_t events;
	bool has_events;
	uint64_t lost;
	bool lost_unknown;
	uint64_t incidents;
	uint64_t unknown;	/* incidents without a known number of events */
	bool sent;
};

/* Read the records. Return 0 or a negative errno. */
int losses_load(struct losses *l, int dir);

/* Return the record of an incident, or NULL. */
struct loss *losses_find(struct losses *l, const char *id);

/*
 * Add a record, with the lines "file", "size", "events" and "lost" of a manifest. Return 0
 * when it is on the disk, or a negative errno.
 */
int losses_add(struct losses *l, const char *id, const struct buf *manifest, const char *cause);

/* The collector has stored the record. */
void losses_stored(struct losses *l, const char *id);

/* Mark a record as sent, before it is sent. Return false if it must not be sent. */
bool losses_sent(struct losses *l, struct loss *loss);

/* Append the lines of the message. Return 0 or a negative errno. */
int losses_text(const struct losses *l, const struct loss *loss, struct buf *out);

/* Read the numbers of a record. Return false if it cannot be read. */
bool losses_read(int dir, const char *id, struct loss_sums *sums);

#endif /* RBMAP_FLEET_AGENT_INCIDENT_LOSSES_H */
