/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write a snapshot, which has the rings of all CPUs at one time, to a file.
 * Functions report their errors.
 */
#ifndef RBMAP_LIVE_RECORDER_SNAPSHOT_FILE_H
#define RBMAP_LIVE_RECORDER_SNAPSHOT_FILE_H

#include <stdbool.h>

#include "recording.h"

/* Check that no snapshot exists. An existing one belongs to somebody else. */
bool snapshot_file_none(void);
bool snapshot_file_take(void);
/*
 * Write the snapshot. If that fails, keep the snapshot and report how to try
 * again.
 */
bool snapshot_file_write(const struct recording *recording, const char *path);
bool snapshot_file_free(void);

#endif /* RBMAP_LIVE_RECORDER_SNAPSHOT_FILE_H */
