/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The name of a recording that is written. At first it is a temporary one beside FILE, so
 * that the FILE of before stays until the recording is known to begin. Functions return 0
 * or more for success and a negative errno.
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

#endif /* RBMAP_RECORDING_WRITE_DAT_OUTPUT_H */
