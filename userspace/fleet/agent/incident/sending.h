/* SPDX-License-Identifier: GPL-2.0-only */
/* Send the parts of an incident that the collector waits for, and its manifest last. */
#ifndef RBMAP_FLEET_AGENT_INCIDENT_SENDING_H
#define RBMAP_FLEET_AGENT_INCIDENT_SENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/uplink/uplink.h"
#include "message/digest.h"
#include "spool.h"

/**
 * struct sending - the incident that is being sent
 * @id: its id; "": none
 * @fd: its file
 * @attempt: number of the attempt
 * @digest: SHA-256 of the parts up to @digested
 * @digested: number of these parts
 * @part: bytes of a part
 */
struct sending {
	char id[SOURCE_NAME_SIZE];
	int fd;
	uint64_t attempt;
	struct digest digest;
	uint64_t digested;
	char *part;
};

/* Return whether the collector waits for an incident. */
bool sending_wanted(const struct sending *s, const struct spool *spool);

/*
 * Send the next parts, or the manifest. Return 0, or a negative errno when the transport
 * has failed; a file that cannot be read becomes the record of a loss.
 */
int sending_step(struct sending *s, struct spool *spool, struct uplink *uplink);

/* The collector misses parts that were sent: they need another attempt. */
void sending_again(struct sending *s, const char *id);

void sending_end(struct sending *s, struct uplink *uplink);

#endif /* RBMAP_FLEET_AGENT_INCIDENT_SENDING_H */
