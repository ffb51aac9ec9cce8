/* SPDX-License-Identifier: GPL-2.0-only */
/* Take incidents into the spool. */
#ifndef RBMAP_FLEET_AGENT_INCIDENT_INGEST_H
#define RBMAP_FLEET_AGENT_INCIDENT_INGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "message/message.h"
#include "spool.h"

/**
 * struct ingest_wanted - the incident that a command waits for
 * @command: id of the command
 * @since: when it began, in ns since 1970
 * @found: the incident is in the spool, or was lost
 * @id: its id
 * @oldest: time of its oldest event, by CLOCK_TAI
 * @has_oldest: that is known
 */
struct ingest_wanted {
	const char *command;
	uint64_t since;
	bool found;
	char id[SOURCE_NAME_SIZE];
	uint64_t oldest;
	bool has_oldest;
};

/*
 * Put the file @name of a directory, which is open as @fd, into the folder "taking".
 * Return 0 or a negative errno; -EAGAIN: the directory has another file of the name now.
 */
int ingest_link(struct spool *s, int dir, const char *name, int fd, bool (*stopped)(void));

/*
 * Move the file @name of the folder "taking" to the incidents. @wanted can be NULL. Return
 * 0, or a negative errno, and the file stays there; -EBUSY: the spool has no room now.
 */
int ingest_incident(struct spool *s, const char *name, struct ingest_wanted *wanted,
		    bool (*stopped)(void));

#endif /* RBMAP_FLEET_AGENT_INCIDENT_INGEST_H */
