/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One recording of the recordings of several hosts, by the time of TAI. Each host has CPUs
 * and pids of its own in it, and names of its tasks begin with the host's name.
 */
#ifndef RBMAP_FLEET_ADMIN_MERGE_MERGE_H
#define RBMAP_FLEET_ADMIN_MERGE_MERGE_H

#include <stddef.h>

#include "recordings.h"

/*
 * Write the recording @path. The inputs have a host, a path and an error of the clock; the
 * other members are stored here. An input that cannot be merged is reported and skipped. Return
 * STATUS_OK; STATUS_CUT: something is left out; STATUS_ERROR: the error was reported.
 */
int merge_recordings(struct merge_input *input, size_t nr, const char *path);

#endif /* RBMAP_FLEET_ADMIN_MERGE_MERGE_H */
