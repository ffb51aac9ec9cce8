/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Where a recording is: an open directory, and a name in it. All that is done to the files
 * beside a recording goes by these two. A directory above them that somebody replaces
 * meanwhile leads nowhere else.
 */
#ifndef RBMAP_DAT_PLACE_H
#define RBMAP_DAT_PLACE_H

#include <stdbool.h>

/**
 * struct dat_place - a place of a file
 * @dir: the directory, opened with O_PATH; -1: the file has no name
 * @name: the name in it, without a slash; NULL: the file has no name
 */
struct dat_place {
	int dir;
	char *name;
};

#define DAT_NO_PLACE	((struct dat_place){ .dir = -1 })

/* Find the place of a path, which may have symbolic links. Return 0 or a negative errno. */
int dat_place_of(struct dat_place *p, const char *path);
int dat_place_copy(struct dat_place *p, const struct dat_place *of);
void dat_place_free(struct dat_place *p);

/* Return whether the name is that of the open file. */
bool dat_place_has(const struct dat_place *p, int fd);

#endif /* RBMAP_DAT_PLACE_H */
