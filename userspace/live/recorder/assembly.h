/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assemble recordings (recording/assemble/dat_assemble.h), with progress and messages: at once, or
 * by a thread of low priority while a flight recorder goes on.
 */
#ifndef RBMAP_LIVE_RECORDER_ASSEMBLY_H
#define RBMAP_LIVE_RECORDER_ASSEMBLY_H

#include <signal.h>
#include <stdbool.h>

#include "recording/write/incident_files.h"

/* Add the signals that end a recording. */
void assembly_add_signals(sigset_t *set);

struct assembly_options {
	bool compress;
	bool quiet;
	bool symbols;		/* ask the module for the names of functions; for assembly_run() */
};

/*
 * Assemble a recording. @fd is its locked descriptor, which this function closes. One of
 * these signals stops the work; the caller has blocked them. On failure, report the error and return
 * false; the files then have all events.
 */
bool assembly_run(const char *path, int fd, const struct assembly_options *options);

struct assembly;

/* Return NULL if memory is lacking. */
struct assembly *assembly_new(const struct assembly_options *options);

/*
 * Let the thread assemble a recording after those that were added before, and close @fd.
 * @symbols: ask the module for the names of functions, of a recording of this boot. The
 * thread lets the file keep the time of its last change.
 * If no thread could be started, do it at once. Return as assembly_run(), or true if the
 * work is left to the thread.
 */
bool assembly_add(struct assembly *a, const char *path, int fd, bool symbols);

/*
 * Let the thread remove a recording after the work that was added before. Return false if
 * that failed at once.
 */
bool assembly_add_removal(struct assembly *a, const char *path);

/*
 * Let the thread remove old files after the work that was added before. @files stays until
 * assembly_end().
 */
void assembly_add_removal_of_old(struct assembly *a, const struct incident_files *files);

/*
 * Wait for the thread; from now on signals stop its work. Free @a, which may be NULL.
 * Return whether all that the thread has done was successful.
 */
bool assembly_end(struct assembly *a);

#endif /* RBMAP_LIVE_RECORDER_ASSEMBLY_H */
