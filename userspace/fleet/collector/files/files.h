/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of the collector. DIR is the directory of --directory:
 *
 *	DIR/index.sqlite		the index
 *	DIR/.lock			one collector at a time
 *	DIR/incoming/HOST/ID.part	parts of a file, each at its place
 *	DIR/incidents/HOST/ID.dat	a file that is complete
 *	DIR/aside/HOST.message		a message that cannot be stored
 *
 * Names of hosts and of incidents are valid names of the message format: none of them
 * begins with a dot or has a slash.
 */
#ifndef RBMAP_FLEET_COLLECTOR_FILES_FILES_H
#define RBMAP_FLEET_COLLECTOR_FILES_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILES_OPEN_MAX	256	/* files that one batch writes to */
#define FILES_ASIDE_MAX	64	/* messages that could not be stored */

/**
 * struct collect_files - the open directories
 * @part: the files that were written to since the last files_sync()
 */
struct collect_files {
	int lock, incoming, incidents, aside;
	unsigned int nr;
	struct {
		int64_t incident;
		int fd;
	} part[FILES_OPEN_MAX];
};

/* Make the directories if they are not there, and lock them. Report an error. */
bool files_open(struct collect_files *f, const char *dir);
void files_close(struct collect_files *f);

/* The rest returns 0, or a descriptor, or a negative errno. */

/* Open a directory, and make it if it is missing. Its name is on the disk after that. */
int files_directory(int at, const char *name);

/* Write a part. It is on the disk after files_sync(). @incident: the id in the index */
int files_write_part(struct collect_files *f, const char *host, const char *name,
		     int64_t incident, uint64_t offset, const void *data, size_t size);
int files_sync(struct collect_files *f);
/* Close the files without that. */
void files_drop(struct collect_files *f);

int files_open_part(struct collect_files *f, const char *host, const char *name);
int files_remove_part(struct collect_files *f, const char *host, const char *name,
		      int64_t incident);
/* Give a complete file its name, which is on the disk then. -EEXIST: the name is in use. */
int files_keep(struct collect_files *f, const char *host, const char *name);
/*
 * Keep a message that cannot be stored, one for each host and FILES_ASIDE_MAX in all.
 * -EEXIST: an earlier one of the host is there; -EMLINK: there are as many already.
 */
int files_put_aside(struct collect_files *f, const char *host, const void *data, size_t size);
int files_open_incident(struct collect_files *f, const char *host, const char *name);
int files_remove_incident(struct collect_files *f, const char *host, const char *name);

#endif /* RBMAP_FLEET_COLLECTOR_FILES_FILES_H */
