/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads of `rbmap record`. Each one moves the ring of a CPU from its map
 * to the file. The threads may run on any CPU: on the ring's own CPU they would
 * starve when that CPU is busiest.
 */
#ifndef RBMAP_LIVE_RECORDER_RECORDER_H
#define RBMAP_LIVE_RECORDER_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rbmap.h>

#include "recording/write/cmdlines.h"
#include "recording/write/dat_write.h"

struct recorder;

/*
 * Map the rings of all CPUs (control_devices()), or their snapshot
 * (control_snapshot_devices()). On failure, report the error and return NULL.
 */
struct recorder *recorder_open(const char *dir);
void recorder_close(struct recorder *rec);
/* Close the rings after recorder_result(): the end of a recording needs files of its own. */
void recorder_close_files(struct recorder *rec);
/* Return whether the limit of open files has room for the buffer of comm_events.h. */
bool recorder_can_open_names(const struct recorder *rec);

unsigned int recorder_nr_cpus(const struct recorder *rec); /* highest CPU + 1 */
unsigned int recorder_max_cpus(const struct recorder *rec); /* the most CPUs it can get */
bool recorder_has_cpu(const struct recorder *rec, unsigned int cpu);
size_t recorder_page_size(const struct recorder *rec); /* size for the file */
int recorder_clock(const struct recorder *rec);	/* clock of the first CPU */

/*
 * Discard what the rings hold, so that the recording begins now. The kernel counts
 * the events as discarded. Return 0 or an error for rbmap_strerror().
 */
int recorder_discard(struct recorder *rec);

/*
 * Rings that do not reach their watermark are read twice a second, or, by a patient recorder,
 * every 32 seconds. Call this before the start.
 */
void recorder_set_patient(struct recorder *rec, bool patient);

/*
 * Send a signal to this process when the recorder ends by itself, and when a CPU may have come
 * online. So the caller need not call recorder_ended() and recorder_look_for_cpus() now and then.
 * All threads have blocked the signal. Call this before the start.
 */
void recorder_set_signal(struct recorder *rec, int signal);

/*
 * Start the threads. Events with another clock than @clock, an enum
 * rbmap_clock, are left out. Names of threads are taken from the events that the
 * rings hold at the beginning, unless @fields is NULL.
 */
int recorder_start(struct recorder *rec, struct dat_writer *writer,
		   const struct comm_fields *fields, int clock);

/*
 * Record CPUs that have come online, from their first event on. Call this now and then
 * while the threads run. recorder_stop() reports a CPU that cannot be recorded. Return false
 * if that must be tried again, or if no signal says when a CPU comes.
 */
bool recorder_look_for_cpus(struct recorder *rec);

/*
 * Return whether a thread has given up, the clock has changed, or the module that owns the
 * buffer was removed. The caller should then end the recording.
 */
bool recorder_ended(const struct recorder *rec);
/* Return whether the module that owns the buffer was removed, after recorder_stop(). */
bool recorder_buffer_is_gone(const struct recorder *rec);
/* Return the number of events in the file, and of lost events, until now. */
uint64_t recorder_events(const struct recorder *rec);
uint64_t recorder_lost(const struct recorder *rec);

/*
 * Let the threads write to another file from now on. Each CPU goes on where it is, so no
 * event is lost, and no event is in both files. Return when no thread uses the file of
 * before; if the threads have given up, they have ended.
 */
void recorder_switch(struct recorder *rec, struct dat_writer *writer);

/* Add the names of threads that the rings had at the beginning, after recorder_switch(). */
void recorder_add_names(const struct recorder *rec, struct cmdlines *cmdlines);

/*
 * Read all events that were committed before this call, and end the threads.
 * After an error, unread events stay in the rings.
 */
void recorder_stop(struct recorder *rec);

/*
 * Read frozen rings to their end without threads. recorder_result() then has
 * the sums.
 */
void recorder_read_all(struct recorder *rec, struct dat_writer *writer,
		       const struct comm_fields *fields, int clock);

/*
 * Return a number of events that came to no ring of the CPU. Some were left out, because this
 * command or another recorder of the buffer has caused them. The kernel had no record of
 * others. A file of frozen rings has those since the buffer began, or since its last reset,
 * unless recorder_begin_counts() says what earlier files have.
 */
enum recorder_count { RECORDER_EXCLUDED, RECORDER_MISSED, NR_RECORDER_COUNTS };

uint64_t recorder_count(const struct recorder *rec, unsigned int cpu,
			enum recorder_count count);
/*
 * The same for one file: recorder_end_file() stores what has come since the last such call,
 * or since the beginning.
 */
void recorder_end_file(struct recorder *rec);
uint64_t recorder_file_count(const struct recorder *rec, unsigned int cpu,
			     enum recorder_count count);
/**
 * struct recorder_counts - the counts that were left to the next file of frozen rings
 * @at: where the last file ended, for each CPU
 */
struct recorder_counts {
	uint64_t (*at)[NR_RECORDER_COUNTS];
	size_t nr;
};

/* Begin with what the counts are now. Return false without memory, or if they are unreadable. */
bool recorder_counts_init(struct recorder_counts *counts);
void recorder_counts_free(struct recorder_counts *counts);
/*
 * Before recorder_read_all(): let the counts begin where the last file ended. Return false
 * without memory. recorder_keep_counts() stores where this file has ended.
 */
bool recorder_begin_counts(struct recorder *rec, struct recorder_counts *counts);
void recorder_keep_counts(const struct recorder *rec, struct recorder_counts *counts);

/* Return the name of the count in the file `stats` of a CPU. */
const char *recorder_count_name(enum recorder_count count);

struct recorder_result {
	int error;		/* error of the first thread that failed */
	unsigned int cpu;	/* CPU of that thread */
	bool reading;		/* true: for rbmap_strerror(); false: errno of a write */
	bool incomplete;	/* a CPU that came later was not recorded */
	bool gone;		/* the module that owns the buffer was removed */
	uint64_t unwritten;	/* events that were read but not written */
	uint64_t earlier;	/* part of loss.total from before the recording */
	uint64_t too_large;	/* part of loss.total that did not fit the file's pages */
	uint64_t other_clock;	/* events left out because of their clock */
	uint64_t excluded;	/* events that were left out, of all CPUs */
	uint64_t missed;	/* part of loss.total: the kernel had no record of them */
	uint64_t unopened;	/* part of loss.total in rings that could not be opened */
	bool more;		/* there are losses of an unknown number: a CPU has no device */
	bool since_begin;	/* both counts are those since the buffer began */
	int new_clock;		/* clock that ended the recording; -1: none */
	struct rbmap_loss loss;
};
/* Get the sums and the names of threads, after recorder_stop(). */
void recorder_result(const struct recorder *rec, struct cmdlines *cmdlines,
		     struct recorder_result *result);

#endif /* RBMAP_LIVE_RECORDER_RECORDER_H */
