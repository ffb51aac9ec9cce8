/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of refused messages. A host can only raise counters, and never add rows. */
#ifndef RBMAP_FLEET_COLLECTOR_INDEX_REFUSALS_H
#define RBMAP_FLEET_COLLECTOR_INDEX_REFUSALS_H

#include <stdint.h>

#include "database.h"

enum refusal {
	REFUSED_DAMAGED,	/* message_decode() refuses it */
	REFUSED_HOST,		/* it names another host than its sender */
	REFUSED_KIND,		/* a host does not send this kind */
	REFUSED_NAME,		/* the name of the incident is too long */
	REFUSED_PART,		/* the part does not belong to the incident */
	REFUSED_MANIFEST,	/* the manifest contradicts itself */
	REFUSED_TOO_LARGE,	/* the incident exceeds --max-incident */
	REFUSED_SHARE,		/* the host exceeds --max-host, or sends too many incidents at once */
	REFUSED_OTHER_FILE,	/* another file has this id */
	REFUSED_SUM,		/* the SHA-256 of the file is wrong */
	REFUSED_COMMAND,	/* the answer names a command that was never given */
	REFUSED_STREAM,		/* an invalid message of a stream */
	REFUSED_HOSTS,		/* there are too many hosts */
	REFUSED_RATE,		/* the host sends more messages than BUDGET_RATE a second */
	REFUSED_STORE,		/* the index or the file system does not take it */
	NR_REFUSALS
};

/* The text in the database */
const char *refusal_text(enum refusal cause);

/* Count a message. @host: 0 if the host has no row. */
void index_refuse(struct fleet_index *ix, int64_t host, enum refusal cause, int64_t now);

#endif /* RBMAP_FLEET_COLLECTOR_INDEX_REFUSALS_H */
