/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The incidents of the index, and the parts of those that are not stored yet. States are
 * described in database.h.
 */
#ifndef RBMAP_FLEET_COLLECTOR_INDEX_INCIDENTS_H
#define RBMAP_FLEET_COLLECTOR_INDEX_INCIDENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "database.h"
#include "message/digest.h"
#include "message/message.h"

#define MANIFEST_TEXT_SIZE	4096
#define INDEX_PARTS_MAX		65536
#define INDEX_PARTS_BYTES	(INDEX_PARTS_MAX / 8)

enum incident_state {
	INCIDENT_ANNOUNCED,
	INCIDENT_PERMITTED,
	INCIDENT_INCOMING,
	INCIDENT_STORED,
	INCIDENT_DAMAGED,
	INCIDENT_LOST,
	INCIDENT_REMOVED,
	NR_INCIDENT_STATES
};

struct index_incident {
	int64_t id, host;
	char name[SOURCE_NAME_SIZE];
	enum incident_state state;
	uint64_t size;
	char sha256[DIGEST_TEXT_SIZE];	/* "": no manifest has come */
	unsigned int failures;
};

/**
 * struct index_manifest - what a MANIFEST says; INDEX_UNKNOWN: it does not say
 * @time: the time of the trigger
 * @text: the manifest itself
 */
struct index_manifest {
	uint64_t size, parts, events, lost, time;
	char sha256[DIGEST_TEXT_SIZE];
	char reason[256];
	char command[SOURCE_NAME_SIZE];
	char text[MANIFEST_TEXT_SIZE];
};

/**
 * struct index_loss - the contents of a LOSS
 * @text: the message itself, which says how many incidents a sum has
 */
struct index_loss {
	uint64_t size, events, lost;
	char cause[256];
	char text[MANIFEST_TEXT_SIZE];
};

bool index_incident_find(struct fleet_index *ix, int64_t host, const char *name,
			 struct index_incident *incident);
bool index_incident_by_id(struct fleet_index *ix, int64_t id, struct index_incident *incident);
/* Find the incident, or add it with a state. Return false if the database has failed. */
bool index_incident_get(struct fleet_index *ix, int64_t host, const char *name,
			enum incident_state state, int64_t now, struct index_incident *incident);

void index_incident_set(struct fleet_index *ix, int64_t id, enum incident_state state,
			int64_t now);
/* A HELLO has listed the incident. */
void index_incident_listed(struct fleet_index *ix, int64_t id, uint64_t size, int64_t now);
/* Remove announced incidents that the last HELLO, of the time @now, has not listed. */
void index_incidents_unlisted(struct fleet_index *ix, int64_t host, int64_t now);
void index_incident_manifest(struct fleet_index *ix, int64_t id,
			     const struct index_manifest *manifest);
void index_incident_stored(struct fleet_index *ix, int64_t id, bool is_recording, int64_t now);
void index_incident_damaged(struct fleet_index *ix, int64_t id, int64_t now);
void index_incident_lost(struct fleet_index *ix, int64_t id, const struct index_loss *loss,
			 int64_t now);
/* Parts are missing for good: the incident is lost if the host said so, otherwise unknown. */
void index_incident_give_up(struct fleet_index *ix, int64_t id, int64_t now);

/*
 * Store the oldest incident of the host that it may send: the last HELLO lists it, and it
 * was not damaged too often since @before.
 */
bool index_incident_to_send(struct fleet_index *ix, int64_t host, int64_t before,
			    struct index_incident *incident);

/* Let all permitted incidents wait again: a collector that has ended gave the permits. */
void index_incidents_no_permits(struct fleet_index *ix);

/* Store the stored incident that is the oldest, of one host or of all (0). */
bool index_incident_oldest(struct fleet_index *ix, int64_t host, struct index_incident *incident,
			   int64_t *changed);
/* Remove the oldest rows of a host that has too many without a file. */
void index_incidents_trim(struct fleet_index *ix, int64_t host);

/**
 * struct index_parts - the parts of an incident
 * @parts: number of all parts; INDEX_UNKNOWN: the manifest has not come
 * @received: number of those that are here
 * @asked: number of MISSING that were sent since the last part came
 * @bitmap: a bit for each part, so that an incident of 1 GiB takes 128 bytes
 *
 * The row is removed with the last part.
 */
struct index_parts {
	int64_t incident;
	uint64_t parts;
	uint64_t received;
	unsigned int asked;
	unsigned char bitmap[INDEX_PARTS_BYTES];
};

/* Read the parts of an incident. Return whether there is a row. */
bool index_parts_read(struct fleet_index *ix, int64_t incident, struct index_parts *parts);
/* Write the row. @ask: time of the next MISSING, or INDEX_UNKNOWN */
void index_parts_write(struct fleet_index *ix, const struct index_parts *parts, int64_t now,
		       uint64_t ask);
/* The time of the next MISSING after one was sent; INDEX_UNKNOWN: send no more. */
void index_parts_asked(struct fleet_index *ix, int64_t incident, uint64_t ask);
void index_parts_remove(struct fleet_index *ix, int64_t incident);

bool index_part_is_here(const struct index_parts *parts, uint64_t seq);
/* Note that a part came for the first time. seq is below INDEX_PARTS_MAX. */
void index_part_add(struct index_parts *parts, uint64_t seq);
/* Note that no part is here any longer. The number of all parts stays. */
void index_parts_clear(struct index_parts *parts);

/* Append lines "part = FIRST-LAST" for those that are not here, at most @lines. */
void index_parts_missing(const struct index_parts *parts, struct buf *out, unsigned int lines);

/* The parts and the incidents of one host */
uint64_t index_parts_of_host(struct fleet_index *ix, int64_t host, uint64_t *incidents);

/*
 * Select the incidents of which all parts are here, one of each host: the incident, the host
 * and the host's name.
 */
sqlite3_stmt *index_parts_complete(struct fleet_index *ix);

/* Return the first incident that is to be asked for; old. 0: there is no such incident. */
int64_t index_parts_to_ask(struct fleet_index *ix, int64_t now);
int64_t index_parts_old(struct fleet_index *ix, int64_t before);

#endif /* RBMAP_FLEET_COLLECTOR_INDEX_INCIDENTS_H */
