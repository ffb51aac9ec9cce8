/* SPDX-License-Identifier: GPL-2.0-only */
/* The hosts of the index, and the order in which they get permits. */
#ifndef RBMAP_FLEET_COLLECTOR_INDEX_HOSTS_H
#define RBMAP_FLEET_COLLECTOR_INDEX_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "database.h"
#include "message/message.h"

#define INDEX_HOSTS_MAX		65536

struct index_host {
	int64_t id;
	char name[HOST_NAME_SIZE];
	char boot[BOOT_ID_SIZE];
};

/**
 * struct index_hello - the numbers and texts of a HELLO; INDEX_UNKNOWN: it has none
 * @waiting: incidents that it lists
 */
struct index_hello {
	char version[64];
	char kernel[128];
	uint64_t spool_bytes, waiting, events, lost, clock_error, time_tai;
};

/*
 * Find the host, or add it, and note that it has sent a message. @boot: "" if the message
 * names none. Return false: there are too many hosts, or the database has failed.
 */
bool index_host_seen(struct fleet_index *ix, const char *name, const char *boot, int64_t now,
		     struct index_host *host);

bool index_host_by_id(struct fleet_index *ix, int64_t id, struct index_host *host);
void index_host_hello(struct fleet_index *ix, int64_t host, const struct index_hello *hello,
		      int64_t now);

/* Set whether the host waits for a permit. */
void index_host_wants(struct fleet_index *ix, int64_t host, bool wants);
/* Store the host that waits and had its last permit before the others. */
bool index_host_next(struct fleet_index *ix, struct index_host *host);
/* The host gets a permit: it no longer waits, and becomes the last in the order. */
void index_host_turn(struct fleet_index *ix, int64_t host);

/* Remove hosts without incidents that were not seen since then. */
void index_hosts_forget(struct fleet_index *ix, int64_t before);

#endif /* RBMAP_FLEET_COLLECTOR_INDEX_HOSTS_H */
