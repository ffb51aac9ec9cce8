/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads of `rbmap record`: one for each CPU's ring, from the map to the
 * file.  They run on whatever CPU is free: tied to the ring's own CPU they
 * would starve where they are needed most.
 */
#ifndef RBMAP_CLI_RECORDER_H
#define RBMAP_CLI_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rbmap.h>

#include "cmdlines.h"
#include "trace_dat/dat_write.h"

struct recorder;

/*
 * Map the rings of all CPUs, control_devices(), or their snapshot,
 * control_snapshot_devices().  Complains, and returns NULL, when it can't.
 */
struct recorder *recorder_open(const char *dir);
void recorder_close(struct recorder *rec);

unsigned int recorder_nr_cpus(const struct recorder *rec); /* highest + 1 */
bool recorder_has_cpu(const struct recorder *rec, unsigned int cpu);
size_t recorder_page_size(const struct recorder *rec); /* for the file */
int recorder_clock(const struct recorder *rec);	/* of the first CPU */

/*
 * Throw away what the rings hold: the recording begins now.  Returns 0 or an
 * error for rbmap_strerror().
 */
int recorder_discard(struct recorder *rec);

/* @clock: enum rbmap_clock: events of rings with another one are left out. */
int recorder_start(struct recorder *rec, struct dat_writer *writer,
		   const struct comm_fields *fields, int clock);

/*
 * Did a thread give up, or have the rings another clock now?  The recording
 * should end then.
 */
bool recorder_ended(const struct recorder *rec);
uint64_t recorder_lost(const struct recorder *rec);	/* so far */

/*
 * Take all that was committed before this call, and end the threads.  After a
 * failure what is not read yet stays in the rings.
 */
void recorder_stop(struct recorder *rec);

/*
 * Instead of threads: read rings that are frozen, to their end.  After that
 * recorder_result() has the sums.
 */
void recorder_read_all(struct recorder *rec, struct dat_writer *writer,
		       const struct comm_fields *fields, int clock);

struct recorder_result {
	int error;		/* of the first thread that failed */
	unsigned int cpu;	/* that it read */
	bool reading;		/* for rbmap_strerror(); else writing, errno */
	uint64_t unwritten;	/* events that were read and not written */
	uint64_t earlier;	/* of loss.total, from before the recording */
	uint64_t too_large;	/* of loss.total, for the pages of the file */
	uint64_t other_clock;	/* events that were left out for that */
	int new_clock;		/* why it ended; -1: it is not */
	struct rbmap_loss loss;
};
/* After recorder_stop(): sums, and the names that the threads learnt. */
void recorder_result(const struct recorder *rec, struct cmdlines *cmdlines,
		     struct recorder_result *result);

#endif /* RBMAP_CLI_RECORDER_H */
