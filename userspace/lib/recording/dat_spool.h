/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The files that have the data of a recording's CPUs until the recording is complete:
 * FILE.cpu0, FILE.cpu1 and so on, beside FILE. Each has the CPU's pages, one after the
 * other.
 *
 * Functions return 0 or more for success and a negative errno.
 */
#ifndef RBMAP_DAT_SPOOL_H
#define RBMAP_DAT_SPOOL_H

#include <stdint.h>

#include "dat_place.h"

/* Return the name of the file of a CPU, or NULL. The caller frees the name. */
char *dat_spool_name(const char *file, unsigned int cpu);

/*
 * Open a regular file with the flags O_RDONLY or O_RDWR. Return its descriptor, and store
 * its size. -ENOENT: the file does not exist.
 */
int dat_spool_open(const struct dat_place *place, unsigned int cpu, int flags, uint64_t *size);

#endif /* RBMAP_DAT_SPOOL_H */
