/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Snapshots: what the rings of all CPUs held at one time, to a file.  Functions
 * complain.
 */
#ifndef RBMAP_CLI_SNAPSHOT_FILE_H
#define RBMAP_CLI_SNAPSHOT_FILE_H

#include <stdbool.h>

#include "recording.h"

/* One that is there already is somebody's: it is left alone. */
bool snapshot_file_none(void);
bool snapshot_file_take(void);
/* It is still there if it could not be written, and where to go on is said. */
bool snapshot_file_write(const struct recording *recording, const char *path);
bool snapshot_file_free(void);

#endif /* RBMAP_CLI_SNAPSHOT_FILE_H */
