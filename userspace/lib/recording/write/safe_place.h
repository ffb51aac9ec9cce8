/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The place of a file that is to be written. Nobody else can lead it away: a symbolic link
 * that another user has made, or could replace, is refused.
 */
#ifndef RBMAP_RECORDING_WRITE_SAFE_PLACE_H
#define RBMAP_RECORDING_WRITE_SAFE_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "recording/dat_place.h"

/*
 * Walk along a path, one directory after the other. The file need not exist. Return 0 or a
 * negative errno. -ELOOP: a directory that other users can write has such a link; -ESPIPE:
 * the path is a link to what is not a file.
 */
int safe_place_find(struct dat_place *p, const char *path);

/* Return whether users beside root and this one can change the directory. */
bool others_can_write(const struct stat *directory);

/* Create a file with a name beside the place: @name is set, and to be freed. */
int safe_place_temporary(const struct dat_place *p, char **name);

#endif /* RBMAP_RECORDING_WRITE_SAFE_PLACE_H */
