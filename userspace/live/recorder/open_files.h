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
 * Count @files more files of each CPU, which the caller opens in addition to the recorder's. Call
 * this before recorder_open().
 */
void open_files_expect(unsigned int files);

/* Return the number of open files that @nr_cpus CPUs need for @what. */
rlim_t open_files_needed(unsigned int nr_cpus, enum open_files what);

/* Return the most that @nr_cpus CPUs can open within a limit. */
enum open_files open_files_within(unsigned int nr_cpus, rlim_t limit);

/*
 * If the limit of this process is too low, raise it as far as allowed. Return what it can
 * open then.
 */
enum open_files open_files_allow(unsigned int nr_cpus);

/* Restore the limit that open_files_allow() has raised, for a program that this one starts. */
void open_files_restore(void);

/* Return the highest limit that this process can have. */
rlim_t open_files_highest(void);

#endif /* RBMAP_LIVE_RECORDER_OPEN_FILES_H */
