/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that have the data of a recording's CPUs until the recording is complete:
 * FILE.cpu0, FILE.cpu1 and so on, beside FILE. Each has the CPU's pages, one after the
 * other.
 *
 * @file is the name of the recording without symbolic links. Functions return 0 or more
 * for success and a negative errno.
 */
#ifndef RBMAP_CLI_DAT_SPOOL_H
#define RBMAP_CLI_DAT_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

/* Is @name the name of such a file of @file? */
bool dat_spool_is_name(const char *name, const char *file);

/* Create an empty file, and return its descriptor. This replaces an older file. */
int dat_spool_create(const char *file, unsigned int cpu);

/*
 * Open a regular file with the flags O_RDONLY or O_RDWR. Return its descriptor, and store
 * its size. -ENOENT: the file does not exist.
 */
int dat_spool_open(const char *file, unsigned int cpu, int flags, uint64_t *size);

/* Rename the files of @nr_cpus CPUs together with their recording. */
int dat_spool_rename(const char *file, const char *to, unsigned int nr_cpus);

/* Remove the files of @nr_cpus CPUs, as far as they exist. */
void dat_spool_remove(const char *file, unsigned int nr_cpus);

#endif /* RBMAP_CLI_DAT_SPOOL_H */
