/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watch the incident directory, and take its complete recordings into the spool: at once if
 * inotify reports them, otherwise when the directory is read again.
 */
#ifndef RBMAP_FLEET_AGENT_INCIDENT_INTAKE_H
#define RBMAP_FLEET_AGENT_INCIDENT_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "agent/uplink/uplink.h"
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
 * The files of the incident directory that the spool has taken, including those that were
 * sent since. The list is the file "taken" of the spool, a line for each:
 *
 *	INODE MTIME SIZE NAME
 *
 * A line is appended when a file is taken. Without it, an agent that was killed would take
 * the file again. That would be wrong even for a lost file: its loss may be part of a sum,
 * which has no ids. The list is written anew without the files that the recorder has removed.
 */
struct ingested_file {
	char *name;
	uint64_t inode;
	int64_t mtime;	/* ns */
	uint64_t size;
	bool seen;
};

/**
 * struct ingested_log - the list
 * @dir: the spool
 * @v: the files, in the order of their names
 * @changed: the file on the disk is older
 */
struct ingested_log {
	int dir;
	struct ingested_file *v;
	size_t nr;
	bool changed;
};

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

/*
 * ingest.c: put the file @name of a directory, which is open as @fd, into the folder "taking".
 * Return 0 or a negative errno; -EAGAIN: the directory has another file of the name now.
 */
int ingest_link(struct spool *s, int dir, const char *name, int fd, bool (*stopped)(void));

/*
 * Move the file @name of the folder "taking" to the incidents. @wanted can be NULL. Return
 * 0, or a negative errno, and the file stays there; -EBUSY: the spool has no room now.
 */
int ingest_incident(struct spool *s, const char *name, struct ingest_wanted *wanted,
		    bool (*stopped)(void));

/*
 * ingest.c: read the list of files that were taken. Lines that are invalid are left out. Return
 * 0 or a negative errno.
 */
int ingested_log_load(struct ingested_log *t, int dir);
void ingested_log_free(struct ingested_log *t);

/* Return whether the file was taken, and was not replaced since. */
bool ingested_log_has(struct ingested_log *t, const char *name, const struct stat *st);

/* Add a file, or replace it, also on the disk. Return 0 or a negative errno. */
int ingested_log_add(struct ingested_log *t, const char *name, const struct stat *st);

/* Drop the files for which ingested_log_has() was not called since the last time. */
void ingested_log_prune(struct ingested_log *t);

/* Write the list if it has changed. Return 0 or a negative errno. */
int ingested_log_save(struct ingested_log *t);

#endif /* RBMAP_FLEET_AGENT_INCIDENT_INTAKE_H */
