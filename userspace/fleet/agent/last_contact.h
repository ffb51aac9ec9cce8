/* SPDX-License-Identifier: GPL-2.0-only */
/* The file "contact" of the spool, by which the agent informs `rbmap ship status`. */
#ifndef RBMAP_FLEET_AGENT_LAST_CONTACT_H
#define RBMAP_FLEET_AGENT_LAST_CONTACT_H

#include <stdint.h>

/**
 * struct last_contact - the last contact
 * @host: name of the host
 * @transport: time at which the transport last took a message, in ns since 1970; 0: never
 * @collector: time of the last message from the collector; 0: never
 * @error: the error that lasts; "": none
 */
struct last_contact {
	char host[64];
	uint64_t transport;
	uint64_t collector;
	char error[320];
};

/* Read the file of the spool that is open as @dir. Values that it lacks are 0 or "". */
void last_contact_read(struct last_contact *c, int dir);

/* Write the file. After an error it is written at the next call. */
void last_contact_write(const struct last_contact *c, int dir);

#endif /* RBMAP_FLEET_AGENT_LAST_CONTACT_H */
