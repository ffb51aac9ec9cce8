/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The open files that a recorder needs, and their limit. Each CPU has a ring and a file, so
 * that the usual limit of 1024 is too small for many CPUs.
 */
#ifndef RBMAP_LIVE_RECORDER_OPEN_FILES_H
#define RBMAP_LIVE_RECORDER_OPEN_FILES_H

#include <sys/resource.h>

/**
 * enum open_files - what a recorder can open
 * @OPEN_FILES_NONE: not even a ring and a file for each CPU
 * @OPEN_FILES_RINGS: these
 * @OPEN_FILES_PIPES: a pipe for each CPU as well, through which data is moved without copies
 * @OPEN_FILES_ALL: the rings of the buffer that has the names of threads, too
 */
enum open_files { OPEN_FILES_NONE, OPEN_FILES_RINGS, OPEN_FILES_PIPES, OPEN_FILES_ALL };

/*
 * Count so many more files of each CPU, which the caller opens beside those of a recorder.
 * Call this before recorder_open().
 */
void open_files_expect(unsigned int files);

/* Return the number of files that @nr_cpus CPUs need for that. */
rlim_t open_files_needed(unsigned int nr_cpus, enum open_files what);

/* Return the most that a limit allows. */
enum open_files open_files_within(unsigned int nr_cpus, rlim_t limit);

/*
 * If the limit of this process is too low, raise it as far as allowed. Return what it can
 * open then.
 */
enum open_files open_files_allow(unsigned int nr_cpus);

/* Set the limit of before again, for another program. */
void open_files_restore(void);

/* Return the highest limit that this process can have. */
rlim_t open_files_highest(void);

#endif /* RBMAP_LIVE_RECORDER_OPEN_FILES_H */
