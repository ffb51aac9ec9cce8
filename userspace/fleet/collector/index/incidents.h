/* SPDX-License-Identifier: GPL-2.0-only */
/* The incidents of the index. Their states are described in schema.h. */
#ifndef RBMAP_FLEET_COLLECTOR_INDEX_INCIDENTS_H
#define RBMAP_FLEET_COLLECTOR_INDEX_INCIDENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "database.h"
#include "message/digest.h"
#include "message/message.h"

#define MANIFEST_TEXT_SIZE	4096

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

/* The text in the database */
const char *incident_state_text(enum incident_state state);

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

#endif /* RBMAP_FLEET_COLLECTOR_INDEX_INCIDENTS_H */
