/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watch the incident directory, and take its complete recordings into the spool: at once if
 * inotify reports them, otherwise when the directory is read again.
 */
#ifndef RBMAP_FLEET_AGENT_INCIDENT_INTAKE_H
#define RBMAP_FLEET_AGENT_INCIDENT_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/uplink/uplink.h"
#include "ingest.h"
#include "ingested_log.h"
#include "spool.h"

/**
 * struct intake - the directory that is watched
 * @path: its path
 * @inotify: descriptor; -1: it is not watched
 * @watch: the watch on the directory; -1: none yet
 * @next: when to look at the latest, by CLOCK_MONOTONIC
 * @unsettled: number of files that somebody may still be copying
 * @backoff: the directory cannot be read
 * @full: an incident cannot be taken
 */
struct intake {
	const char *path;
	struct spool *spool;
	struct ingested_log ingested;
	int inotify;
	int watch;
	uint64_t next;
	unsigned int unsettled;
	struct backoff backoff;
	struct backoff full;
	bool (*stopped)(void);
};

/* Begin, and finish the steps of a killed process. Return false after an error report. */
bool intake_begin(struct intake *in, const char *path, struct spool *spool,
		  bool (*stopped)(void));
void intake_end(struct intake *in);

/* Return whether there can be something new. */
bool intake_due(struct intake *in);

/* Take the new incidents. Return their number. @wanted can be NULL. */
unsigned int intake_run(struct intake *in, struct ingest_wanted *wanted);

#endif /* RBMAP_FLEET_AGENT_INCIDENT_INTAKE_H */
