/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of incidents that are not stored yet: a bit for each part, so that an incident
 * of 1 GiB takes 128 bytes. The row is removed with the last part.
 */
#ifndef RBMAP_FLEET_COLLECTOR_INDEX_PARTS_H
#define RBMAP_FLEET_COLLECTOR_INDEX_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "database.h"

#define INDEX_PARTS_MAX		65536
#define INDEX_PARTS_BYTES	(INDEX_PARTS_MAX / 8)

/**
 * struct index_parts - the parts of an incident
 * @parts: number of all parts; INDEX_UNKNOWN: the manifest has not come
 * @received: number of those that are here
 * @asked: number of MISSING that were sent since the last part came
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

#endif /* RBMAP_FLEET_COLLECTOR_INDEX_PARTS_H */
