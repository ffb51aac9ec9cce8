/* SPDX-License-Identifier: GPL-2.0-only */
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
#ifndef RBMAP_FLEET_AGENT_INCIDENT_INGESTED_LOG_H
#define RBMAP_FLEET_AGENT_INCIDENT_INGESTED_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

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

/* Read the list. Lines that are invalid are left out. Return 0 or a negative errno. */
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

#endif /* RBMAP_FLEET_AGENT_INCIDENT_INGESTED_LOG_H */
