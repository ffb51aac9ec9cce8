/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a recorder, which its sources share. recorder.h has the interface. */
#ifndef RBMAP_LIVE_RECORDER_RECORDER_PARTS_H
#define RBMAP_LIVE_RECORDER_RECORDER_PARTS_H

#include <pthread.h>

#include "open_files.h"
#include "recorder.h"

struct cpu_recorder {
	struct recorder *rec;
	unsigned int cpu;
	struct rbmap_map *map;		/* NULL: the CPU has no ring */
	struct cmdlines *cmdlines;
	pthread_t thread;
	bool running;

	struct rbmap_loss before;	/* counters at the beginning of the recording */
	uint64_t earlier;		/* lost before the recording and not reported yet */
	uint64_t skip;			/* part of it that is never reported */
	uint64_t count_before[NR_RECORDER_COUNTS];	/* at the beginning of the recording */
	uint64_t file_before[NR_RECORDER_COUNTS];	/* at the beginning of the file */
	uint64_t file_count[NR_RECORDER_COUNTS];	/* since then, when the file ends */
	_Atomic(struct dat_writer *) writer;		/* the file that the thread writes */
	uint64_t given;			/* loss that sub-buffers have reported */
	unsigned int generation;	/* ring that is being read */
	unsigned int first;		/* ring that was written at the beginning */
	_Atomic uint64_t other_clock;	/* number of left-out events */
	bool recorded;			/* something is in a file */
	bool looks;			/* take names of threads from the events */

	/* Whole sub-buffers go through a pipe, without a map. */
	int pipe[2];
	size_t pipe_size;		/* 0: none was opened */
	unsigned int dry;		/* how often the ring had events, and no whole sub-buffer */
	int wait_ms;			/* how long the next wait is, at most */

	int error;
	bool reading;
	_Atomic uint64_t lost;
	_Atomic uint64_t events;	/* number of events that were read */
};

struct recorder {
	const char *dir;
	struct cpu_recorder *cpu;	/* max_cpus of them, which threads use */
	unsigned int nr_cpus;
	unsigned int max_cpus;
	size_t page_size;
	int clock;			/* enum rbmap_clock; -1: any */
	_Atomic(struct dat_writer *) writer;
	uint64_t unwritten, too_large;	/* in the files before it */
	const struct comm_fields *fields;
	_Atomic bool stop;
	_Atomic bool failed;
	_Atomic int new_clock;		/* the rings have another clock now */
	_Atomic bool gone;		/* the module that owns the buffer has left */
	enum open_files files;
	bool patient;			/* read rings that fill slowly twice a minute */
	bool begins_counts;		/* the counts do not begin with the buffer */
	bool incomplete;		/* a CPU that came later, or has no device, is not recorded */
	bool looked_for_hidden;		/* recorder_stop() was called before */
	bool hides_cpus;		/* a CPU has no device */
	int *unopened;			/* CPUs that came later and are not recorded */
	size_t nr_unopened;
	int signal;			/* sent at an end without recorder_stop(); 0: none */
	int watch;			/* socket that tells when devices come; -1: none */
};

/*
 * recorder_open.c: map the ring of a CPU, unless the CPU has none, or the snapshot lacks it.
 * Return 0 or an error for rbmap_strerror().
 */
int cpu_recorder_open(struct recorder *rec, unsigned int cpu);
void cpu_recorder_close(struct cpu_recorder *c);

/* recorder.c: report CPUs without a device, once. The file has an unknown loss of each. */
void recorder_look_for_hidden(struct recorder *rec);

/* cpu_recorder.c: start the thread of a CPU. Return 0 or a negative errno. */
int cpu_recorder_start(struct recorder *rec, unsigned int cpu);
/* Return true if the thread must go on with another file. */
bool cpu_recorder_must_switch(const struct cpu_recorder *c);

#endif /* RBMAP_LIVE_RECORDER_RECORDER_PARTS_H */
