/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of the collector, and checks of incidents' files. DIR is the directory of
 * --directory:
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
#include <sys/types.h>

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

/* These return 0, or a descriptor, or a negative errno. */

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
/* Write the names of a host's incidents to the disk. */
int files_sync_names(struct collect_files *f, const char *host);
/*
 * Keep a message that cannot be stored, one for each host and FILES_ASIDE_MAX in all.
 * -EEXIST: an earlier one of the host is there; -EMLINK: there are as many already.
 */
int files_put_aside(struct collect_files *f, const char *host, const void *data, size_t size);
int files_open_incident(struct collect_files *f, const char *host, const char *name);
int files_remove_incident(struct collect_files *f, const char *host, const char *name);

/* The result of a check of an incident's file */
enum file_verdict {
	FILE_RECORDING,		/* it has the size and the sum, and librbmap opens it */
	FILE_OTHER,		/* it has the size and the sum */
	FILE_DAMAGED,
	FILE_UNREADABLE,	/* the disk does not work, or the process was killed */
};

/*
 * Start a check in a process of its own. A host made the file, and must not be able to stop
 * the collector or to hold it up. The caller closes @fd. Return the process, or -1 with errno
 * set.
 */
pid_t file_check_start(int fd, uint64_t size, const char *sha256);

/* Return the result of a process that has ended. @status: that of waitpid() */
enum file_verdict file_check_verdict(int status);

#endif /* RBMAP_FLEET_COLLECTOR_FILES_FILES_H */
