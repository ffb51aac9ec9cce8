/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_ADMIN_STREAM_STREAM_RECORDING_H
#define RBMAP_FLEET_ADMIN_STREAM_STREAM_RECORDING_H

#include "stream_files.h"

/**
 * struct stream_counts - what a recording has
 * @events, @lost: events, and those that were lost
 * @missed: part of @lost: the kernel had no record of them, and no ring
 * @unknown: losses without a number
 * @missing: messages that are not here, or not yet; those at the end of a run count as one
 * @damaged: messages that were found and could not be read again
 */
struct stream_counts {
	uint64_t events, lost, missed, unknown, missing, damaged;
};

/*
 * Write the recording @path of the messages that were found. Return a status. STATUS_CUT:
 * what the host has sent makes no recording. Errors are reported.
 */
int stream_recording_write(const struct stream_query *q, const char *path,
			    struct stream_counts *counts);

#endif /* RBMAP_FLEET_ADMIN_STREAM_STREAM_RECORDING_H */
