/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Create, rename and remove the files that dat_spool.h describes. @dir is the directory of
 * the recording, and @file is its name there. Functions return 0 or more for success and a
 * negative errno.
 */
#ifndef RBMAP_RECORDING_WRITE_SPOOL_FILES_H
#define RBMAP_RECORDING_WRITE_SPOOL_FILES_H

#include <stdbool.h>

/* Is @name the name of such a file of @file? */
bool dat_spool_is_name(const char *name, const char *file);

/* Create an empty file, and return its descriptor. This replaces an older file. */
int dat_spool_create(int dir, const char *file, unsigned int cpu);

/* Rename the files of @nr_cpus CPUs together with their recording. */
int dat_spool_rename(int dir, const char *file, const char *to, unsigned int nr_cpus);

/* Remove the files of @nr_cpus CPUs, as far as they exist. */
void dat_spool_remove(int dir, const char *file, unsigned int nr_cpus);

#endif /* RBMAP_RECORDING_WRITE_SPOOL_FILES_H */
