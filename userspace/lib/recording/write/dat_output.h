/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The names of a recording that is written, and of the files of its CPUs. At first the
 * recording has a temporary name beside FILE, so that the FILE of before stays until the
 * recording is known to begin. Functions return 0 or more for success and a negative errno.
 */
#ifndef RBMAP_RECORDING_WRITE_DAT_OUTPUT_H
#define RBMAP_RECORDING_WRITE_DAT_OUTPUT_H

#include <stdbool.h>

#include "recording/dat_place.h"

/**
 * struct dat_output - the names of a recording
 * @place: the directory, and the name of FILE there
 * @name: the name that the recording has there now: a temporary one, or that of FILE
 * @old_fd: the FILE of before, locked until it is replaced; -1 without one
 */
struct dat_output {
	struct dat_place place;
	char *name;
	int old_fd;
};

/*
 * Create an empty file with a temporary name, and return its locked descriptor. -ESPIPE:
 * FILE is not a regular file. -EBUSY: another process records to it. In a directory that
 * other users can write: -ELOOP: FILE is a symbolic link; -EEXIST: it is another user's.
 */
int dat_output_create(struct dat_output *o, const char *path);

/* Replace FILE, and rename the files of the CPUs with it. */
int dat_output_publish(struct dat_output *o, unsigned int nr_cpus);
bool dat_output_published(const struct dat_output *o);

/* Remove the recording with the files of its CPUs. */
void dat_output_remove(struct dat_output *o, unsigned int nr_cpus);

void dat_output_free(struct dat_output *o);

/*
 * Create, rename and remove the files that dat_spool.h describes. @dir is the directory of
 * the recording, and @file is its name there.
 */

/* Is @name the name of such a file of @file? */
bool dat_spool_is_name(const char *name, const char *file);

/* Create an empty file, and return its descriptor. This replaces an older file. */
int dat_spool_create(int dir, const char *file, unsigned int cpu);

/* Rename the files of @nr_cpus CPUs together with their recording. */
int dat_spool_rename(int dir, const char *file, const char *to, unsigned int nr_cpus);

/* Remove the files of @nr_cpus CPUs, as far as they exist. */
void dat_spool_remove(int dir, const char *file, unsigned int nr_cpus);

#endif /* RBMAP_RECORDING_WRITE_DAT_OUTPUT_H */
