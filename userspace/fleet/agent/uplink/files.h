/* SPDX-License-Identifier: GPL-2.0-only */
/* Small files of the spool. A crash leaves the old contents or the new ones. */
#ifndef RBMAP_FLEET_AGENT_UPLINK_FILES_H
#define RBMAP_FLEET_AGENT_UPLINK_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The beginning of names that are not complete files */
#define FILES_TEMPORARY	".new-"

/* Open a folder, and make it first if it is missing. Return a descriptor or a negative errno. */
int files_open_folder(int dir, const char *name);

/*
 * Replace the file @name of a folder. @durable: write the file and the folder to the disk
 * before returning. Return 0 or a negative errno.
 */
int files_replace(int dir, const char *name, const char *data, size_t size, bool durable);

/*
 * Append the contents of a regular file of at most @most bytes. Return 0 or a negative
 * errno; -EFBIG: it is larger.
 */
int files_read(int dir, const char *name, struct buf *to, size_t most);

/* Remove a file, which may be gone already. Return 0 or a negative errno. */
int files_remove(int dir, const char *name);

/* Remove the incomplete files of a killed process. */
void files_remove_temporary(int dir);

typedef int files_each_fn(void *data, int dir, const char *name);

/*
 * Call @each for each name of a folder that does not begin with a dot, until it returns
 * another value than 0. Return that value, 0, or a negative errno.
 */
int files_each(int dir, files_each_fn *each, void *data);

/* Copy the file @from to the new file @name of a folder. Return 0 or a negative errno. */
int files_copy(int from, int dir, const char *name, bool (*stopped)(void));

#endif /* RBMAP_FLEET_AGENT_UPLINK_FILES_H */
