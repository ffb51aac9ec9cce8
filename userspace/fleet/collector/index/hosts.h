/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hosts of the index, and the order in which they get permits. With them are the commands
 * that were given, the answers of hosts, and the numbers of refused messages.
 */
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

/* A command that was given */
struct index_command {
	int64_t id;
	char name[SOURCE_NAME_SIZE];
	char hosts[256];	/* pattern of the names */
	char reason[256];
	int64_t time;
};

/* Numbers: INDEX_UNKNOWN if the answer does not say */
struct index_answer {
	char state[16];
	char error[256];
	char incident[SOURCE_NAME_SIZE];
	uint64_t oldest, late, received, clock_error;
};

/* Add a snapshot command, and remove those beyond the newest thousand. */
void index_command_add(struct fleet_index *ix, const struct index_command *command);
void index_command_remove(struct fleet_index *ix, const char *name);
bool index_command_find(struct fleet_index *ix, const char *name, struct index_command *command);

/* Store the answer of a host. A later answer replaces it. */
void index_answer(struct fleet_index *ix, int64_t command, int64_t host,
		  const struct index_answer *answer, int64_t now);

/* A host can only raise counters of refused messages, and never add rows. */
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

/* Count a message. @host: 0 if the host has no row. */
void index_refuse(struct fleet_index *ix, int64_t host, enum refusal cause, int64_t now);

#endif /* RBMAP_FLEET_COLLECTOR_INDEX_HOSTS_H */
