/* SPDX-License-Identifier: GPL-2.0-only */
/* The file "contact" of the spool: what the agent tells `rbmap ship status`. */
#ifndef RBMAP_FLEET_AGENT_CONTACT_H
#define RBMAP_FLEET_AGENT_CONTACT_H

#include <stdint.h>

/**
 * struct contact - the last contact
 * @host: name of the host
 * @transport: when the transport took a message, in ns since 1970; 0: never
 * @collector: when the collector sent one; 0: never
 * @error: the error that lasts; "": none
 */
struct contact {
	char host[64];
	uint64_t transport;
	uint64_t collector;
	char error[320];
};

/* Read the file of the spool that is open as @dir. Values that it lacks are 0 or "". */
void contact_read(struct contact *c, int dir);

/* Write the file. An error is left to the next time. */
void contact_write(const struct contact *c, int dir);

#endif /* RBMAP_FLEET_AGENT_CONTACT_H */
