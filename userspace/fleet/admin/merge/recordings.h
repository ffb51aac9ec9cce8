/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recordings of hosts that are merged, and new recordings, which are made of events that
 * others have recorded.
 */
#ifndef RBMAP_FLEET_ADMIN_MERGE_RECORDINGS_H
#define RBMAP_FLEET_ADMIN_MERGE_RECORDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "message/message.h"
#include "recording/dat_read.h"

#define CLOCK_ERROR_UNKNOWN	UINT64_MAX

/* More hosts than this have no pids of their own. */
#define MERGE_INPUTS_MAX	512
#define PIDS_OF_HOST		(1 << 22)	/* the kernel's PID_MAX_LIMIT */

/**
 * struct tai_line - TAI of a ring's clock, by two moments
 * @ring: the ring's clock in ns
 * @ahead: ns that TAI is ahead of it
 *
 * Both moments are the same if the recording has only one.
 */
struct tai_line {
	uint64_t ring[2];
	int64_t ahead[2];
};

/**
 * struct merge_input - a recording
 * @path: its file; the caller's string
 * @clock_error: ns that the host's clock may be wrong, or CLOCK_ERROR_UNKNOWN
 * @skipped: it is not part of the merged recording; the cause was reported
 * @tai_unknown: the host does not know how far TAI is ahead of UTC
 * @nr_cpus: number of its CPUs
 * @first_cpu: number of its first CPU in the merged recording
 * @first_pid: number that is added to its pids
 * @line: TAI of its events
 * @reader: the recording, while it is read
 */
struct merge_input {
	char host[HOST_NAME_SIZE];
	const char *path;
	uint64_t clock_error;
	bool skipped;
	bool tai_unknown;
	unsigned int nr_cpus;
	unsigned int first_cpu;
	int first_pid;
	struct tai_line line;
	struct rbmap_recording *reader;
};

/*
 * Open the recording, and store its CPUs and its clock. @tai_offset: seconds that TAI is
 * ahead of UTC, for a host that does not know it. On failure, report the error.
 */
bool merge_input_open(struct merge_input *input, int64_t tai_offset);
void merge_input_close(struct merge_input *input);

/* Return TAI at a time of the ring's clock, in ns since 1970. */
uint64_t tai_of(const struct tai_line *line, uint64_t ring);

/* Return the offset that the recording knows, in seconds, or 0. */
int64_t merge_input_tai_offset(const struct merge_input *input);

/* The file events/header_event, which each kernel has with the same contents */
extern const char new_recording_header_event[];

/* Let the process open a file for each of @nr CPUs, as far as the system allows it. */
void new_recording_allow_cpus(unsigned int nr);
/* Return the largest number of CPUs for which the system allows it. */
unsigned int new_recording_cpus_max(void);

#endif /* RBMAP_FLEET_ADMIN_MERGE_RECORDINGS_H */
