/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write a snapshot, which has the rings of all CPUs at one time, to a file, or ask a flight
 * recorder for a file. Functions report their errors.
 */
#ifndef RBMAP_LIVE_RECORDER_SNAPSHOT_FILE_H
#define RBMAP_LIVE_RECORDER_SNAPSHOT_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "recording.h"

/* Check that no snapshot exists. An existing one belongs to somebody else. */
bool snapshot_file_none(void);
bool snapshot_file_take(void);
/*
 * Write the snapshot, and keep it in memory. @counts: how many of the events that came to no
 * ring earlier files have; NULL: nobody knows.
 */
bool snapshot_file_write(const struct recording *recording, const char *path,
			 struct recorder_counts *counts);
/* If there is a snapshot, say how to write it after snapshot_file_write() has failed. */
void snapshot_file_tell_kept(void);
bool snapshot_file_free(void);

#define DUMP_SECONDS	600	/* large rings, and a slow disk */

/*
 * Ask a flight recorder for a file, and wait until it says whether it wrote one, @seconds at
 * most. The request is SIGUSR1 with a number, and the answer is a datagram to an
 * abstract socket whose name has that number. This process is in the network namespace of the
 * recorder afterwards. Return whether the recorder wrote its file. Else report why not.
 */
bool dump_request(pid_t recorder, double seconds);

/*
 * Return whether the request has an answer already, and send it again: those who wait repeat
 * their request, because a signal can be dropped.
 */
bool dump_request_is_repeated(const siginfo_t *request);

/* Answer the request of a signal. Without a number, as from kill(1), nobody waits. */
void dump_request_answer(const siginfo_t *request, bool written);

#endif /* RBMAP_LIVE_RECORDER_SNAPSHOT_FILE_H */
