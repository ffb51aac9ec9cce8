/* SPDX-License-Identifier: LGPL-2.1-only */
/* Whole reads and writes, names on the disk, and standard input and output as files */
#ifndef RBMAP_BASE_FILES_H
#define RBMAP_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write all bytes, also after signals. Return 0 or a negative errno. */
int write_all(int fd, const char *data, size_t size);

/* Write all bytes at an offset. Return 0 or a negative errno. */
int write_all_at(int fd, const void *data, size_t size, uint64_t offset);

/* Read all bytes at an offset. Return 0 or a negative errno; -EBADMSG: the file is shorter. */
int read_all_at(int fd, void *data, size_t size, uint64_t offset);

/*
 * Let the name of a new file of the directory @at be on the disk, or remove the file, so that
 * the next attempt makes it anew. For a directory, @flags are AT_REMOVEDIR. Return 0 or a
 * negative errno.
 */
int sync_new_name(int at, const char *name, int flags);

/*
 * Recordings with the name "-", or /dev/stdout and the like: standard input and output. The
 * functions that read and write a recording need a file with offsets, and a pipe has none. So
 * the bytes of a pipe go through a temporary file in $TMPDIR, by default /tmp.
 */

/* Return a file in TMPDIR that has no name any more, or -1 after a message. */
int temporary_file(void);

/* Return true if @name is one of standard input or standard output. */
bool is_standard_file(const char *name);

/*
 * Return a descriptor of a regular file with all that standard input has. On failure,
 * report the error and return -1.
 */
int standard_input_file(void);

/**
 * struct standard_output - a temporary directory for a recording that goes to standard
 * output
 * @dir: its name; NULL: the recording goes to a file
 * @file: name of the recording
 */
struct standard_output {
	char *dir;
	char *file;
};

/* Replace the name "-" by a temporary one. On failure, report the error and return false. */
bool standard_output_begin(struct standard_output *o, const char **name);

/*
 * Write the recording to standard output, if it is @complete, and remove it. An incomplete
 * recording stays, and one that could not be written. On failure, report the error and
 * return false.
 */
bool standard_output_end(struct standard_output *o, bool complete);

#endif /* RBMAP_BASE_FILES_H */
