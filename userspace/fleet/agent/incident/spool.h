/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The spool: incidents that the collector has not stored yet. Its folders:
 *
 *	taking/FILE	a link to a recording, or a copy, before its sums are known
 *	data/ID		the recording
 *	state/ID	the lines of its manifest; the file's time is that of the intake
 *	permits/ID	the collector waits for the incident: empty
 *	losses/ID	an incident that was removed before it was sent: see struct losses
 *	answers/ID	an answer to a command that was not sent: see commands.h
 *
 * The order of the steps makes each of them repeatable. A recording stays in taking/ until
 * state/ID is on the disk, and is then renamed to data/ID. When an incident is removed,
 * state/ID is removed first: a file data/ID without state/ID is a leftover.
 */
#ifndef RBMAP_FLEET_AGENT_INCIDENT_SPOOL_H
#define RBMAP_FLEET_AGENT_INCIDENT_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "message/message.h"

#define SPOOL_INCIDENTS_MAX	4096
#define SPOOL_PERMIT_NS		(120 * 1000000000ULL)	/* A permit ends after this time. */
#define SPOOL_STATE_MAX		(16U << 10)
#define LOSSES_MAX		256
/*
 * The number of records that may wait for an answer. All others can still become a sum,
 * whereas a record that was sent may be stored, and would be counted twice. The limit also
 * bounds the answers to a host.
 */
#define LOSSES_SENT_MAX		32

/**
 * struct incident - an incident that waits
 * @since: time at which it was taken, in ns since 1970
 * @busy_until: time until which parts of it may be on their way, by CLOCK_MONOTONIC
 * @permit: number of the last permit; UINT64_MAX: there was none
 * @wanted: a bit for each part that the collector waits for; NULL: it waits for none
 * @requested: the collector waits for parts or for the manifest
 */
struct incident {
	char id[SOURCE_NAME_SIZE];
	uint64_t size;
	uint64_t since;
	uint64_t busy_until;
	uint64_t permit;
	uint8_t *wanted;
	bool requested;
};

/*
 * Records of incidents that were removed before they were sent: a file in the spool's
 * folder "losses" for each, until the collector has stored it. Beyond LOSSES_MAX the
 * records become one with their sums. The files have the lines of the message, and
 * "sent = yes" when the record was sent.
 */
struct loss {
	char id[SOURCE_NAME_SIZE];
	bool sent;
};

struct losses {
	int dir;
	size_t nr;
	struct loss v[LOSSES_MAX];
};

/* The numbers of a record, or the sums of several */
struct loss_sums {
	char file[256];
	uint64_t size;
	uint64_t events;
	bool has_events;
	uint64_t lost;
	bool lost_unknown;
	uint64_t incidents;
	uint64_t unknown;	/* incidents without a known number of events */
	bool sent;
};

/**
 * struct spool - the open spool
 * @lock: descriptor of the file with the lock
 * @most: bytes of incidents that are kept
 * @v: the incidents, the oldest first
 * @bytes: their sizes
 * @freed: an incident was removed since the caller has cleared this
 */
struct spool {
	int dir, lock;
	int taking, data, state, permits, answers;
	uint64_t most;
	struct incident *v;
	size_t nr;
	uint64_t bytes;
	bool freed;
	struct losses losses;
};

/*
 * Open the spool @path, make it if it is missing, lock it and read it. On failure, report
 * the error and return false.
 */
bool spool_open(struct spool *s, const char *path, uint64_t most);
void spool_close(struct spool *s);

struct incident *spool_find(struct spool *s, const char *id);

/* Add an incident that is on the disk. Return 0 or -ENOMEM. */
int spool_add(struct spool *s, const char *id, uint64_t size, uint64_t since);

/* Remove an incident, which the collector has stored or a record of a loss replaces. */
void spool_remove(struct spool *s, struct incident *i);

/* Replace an incident by the record of its loss. Return 0 or a negative errno. */
int spool_lose(struct spool *s, struct incident *i, const char *cause);

/*
 * Make room for an incident: remove the oldest ones. Return 0; -EBUSY: only incidents that
 * are being sent are left; -EFBIG: the incident is larger than the spool; or another negative
 * errno.
 */
int spool_make_room(struct spool *s, uint64_t size);

/* Return the number of parts that an incident is sent in. */
uint64_t spool_parts(const struct incident *i);

/*
 * The collector waits for parts from @first to @last, and for the manifest behind them.
 * Parts that the incident does not have are left out. A process that is killed meanwhile
 * leaves the permit to the next one. Return 0 or -ENOMEM.
 */
int spool_request(struct spool *s, struct incident *i, uint64_t first, uint64_t last);

/* All parts that the collector asked for were sent. */
void spool_requested_done(struct spool *s, struct incident *i);

/* Append the lines of an incident's manifest. Return 0 or a negative errno. */
int spool_manifest(const struct spool *s, const char *id, struct buf *out);

/* If the folder "taking" is empty: incidents without a file become records of losses. */
void spool_check(struct spool *s);

/* Return whether an agent uses the spool that is open as @dir. */
bool spool_is_locked(int dir);

/* losses.c: read the records. Return 0 or a negative errno. */
int losses_load(struct losses *l, int dir);

/* Return the record of an incident, or NULL. */
struct loss *losses_find(struct losses *l, const char *id);

/*
 * Add a record, with the lines "file", "size", "events" and "lost" of a manifest. Return 0
 * when it is on the disk, or a negative errno.
 */
int losses_add(struct losses *l, const char *id, const struct buf *manifest, const char *cause);

/* The collector has stored the record. */
void losses_stored(struct losses *l, const char *id);

/* Mark a record as sent, before it is sent. Return false if it must not be sent. */
bool losses_sent(struct losses *l, struct loss *loss);

/* Append the lines of the message. Return 0 or a negative errno. */
int losses_text(const struct losses *l, const struct loss *loss, struct buf *out);

/* Read the numbers of a record. Return false if it cannot be read. */
bool losses_read(int dir, const char *id, struct loss_sums *sums);

#endif /* RBMAP_FLEET_AGENT_INCIDENT_SPOOL_H */
