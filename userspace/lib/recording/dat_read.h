/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Read a recording. The file may contain any bytes. rbmap.h has the functions that other
 * programs call, too: rbmap_recording_*(). Those here are for the same reader. They open a
 * recording without its tables of formats and names, which the print engine makes itself, and
 * say more about the file.
 */
#ifndef RBMAP_DAT_READ_H
#define RBMAP_DAT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rbmap.h>

#include "dat_times.h"

struct dat_cgroups;
struct dat_place;

/*
 * CPUs of a recording: more than any kernel's. Programs that merge recordings write no more, and
 * views have room for all of them.
 */
#define DAT_CPUS_MAX	8192

/* Errors beside those of rbmap.h */
enum dat_error {
	DAT_ERR_COMPLETE	= -5007,	/* nothing is to be assembled */
	DAT_ERR_BUSY		= -5008,	/* it is still being recorded */
};

#define DAT_ERR_LAST	(-4999)	/* errors that are no errno values are smaller */

/* Return a text for such an error or a negative errno, without its subject, the file. */
const char *dat_strerror(int error);

/*
 * Open a recording. rbmap_recording_formats() is then NULL, and rbmap_recording_comm() knows
 * no name. rbmap_recording_close() closes it.
 */
int dat_open(struct rbmap_recording **recording, const char *path);
/* Read a regular file without a name. @fd is taken over, and closed also after an error. */
int dat_open_fd(struct rbmap_recording **recording, int fd);
/*
 * Read an open file with the files beside its place. The caller keeps @fd and @place. Without
 * @symbols only the size of the symbols is read, for a caller that writes others.
 */
int dat_open_at(struct rbmap_recording **recording, int fd, const struct dat_place *place,
		bool symbols);
int dat_fd(const struct rbmap_recording *recording);	/* the descriptor, for fstat() */

struct dat_text {
	const char *system;
	char *text;		/* terminated by a 0 */
	size_t size;
};

/* The texts of the formats, and of other parts of the file */
size_t dat_formats(const struct rbmap_recording *recording, const struct dat_text **formats);
const struct dat_text *dat_kallsyms(const struct rbmap_recording *recording);
const struct dat_text *dat_cmdlines(const struct rbmap_recording *recording);
/* The printk formats of the kernel, and its constant strings: lines "0xADDRESS : "TEXT"" */
const struct dat_text *dat_printk(const struct rbmap_recording *recording);

typedef void dat_comm_fn(void *data, int pid, const char *comm);
/* Call @each for each line "PID NAME" of a text, which this function changes. */
void dat_parse_comms(char *text, dat_comm_fn *each, void *data);
/* Do the same with the recording's names of threads. */
void dat_each_comm(const struct rbmap_recording *recording, dat_comm_fn *each, void *data);

/* Return the cgroups of the tasks, or NULL: the recording does not have them. */
const struct dat_cgroups *dat_cgroups(const struct rbmap_recording *recording);

struct dat_devices;
/* Return the names of block devices, or NULL: the recording does not have them. */
const struct dat_devices *dat_devices(const struct rbmap_recording *recording);

struct dat_hosts;
/* Return the hosts of a merged recording, or NULL: it is that of one host. */
const struct dat_hosts *dat_hosts(const struct rbmap_recording *recording);

/* Those moments that the recording has; a recording of trace-cmd has none. */
const struct dat_times *dat_times(const struct rbmap_recording *recording);
/* Bytes of a long of the recorded kernel: 4 or 8 */
unsigned int dat_long_size(const struct rbmap_recording *recording);
/* Does the file have corrections of times? rbmap_recording_next() has applied them. */
bool dat_is_corrected(const struct rbmap_recording *recording);

/* Has a buffer bytes of events? */
bool dat_buffer_has_data(const struct rbmap_recording *recording, unsigned int buffer);
bool dat_buffer_is_chosen(const struct rbmap_recording *recording, unsigned int buffer);

/*
 * Return the ring's time of the event that rbmap_recording_next() has stored, without the
 * corrections of the file.
 */
uint64_t dat_event_ring_time(const struct rbmap_recording *recording);

/*
 * rbmap_recording_lost_last() of one buffer, with dat_missed(): the events that the kernel missed
 * or its ring dropped on a CPU while it was recorded, at any time.
 */
uint64_t dat_buffer_lost_last(const struct rbmap_recording *recording, unsigned int buffer,
			      unsigned int cpu);
uint64_t dat_missed(const struct rbmap_recording *recording, unsigned int buffer,
		    unsigned int cpu);

/* Add numbers of lost events, of which one may be RBMAP_LOST_UNKNOWN. */
uint64_t dat_lost_sum(uint64_t a, uint64_t b);
/*
 * Add events that were lost to a sum. If their number is not known, or the sum has no room for
 * it, there are more than the sum says.
 */
static inline void dat_sum_lost(uint64_t *sum, bool *more, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN || lost > RBMAP_LOST_UNKNOWN - 1 - *sum)
		*more = true;
	else
		*sum += lost;
}

/**
 * struct dat_loss - events that were lost at one place
 * @known: their number, as far as it is known
 * @more: an unknown number was lost, too
 */
struct dat_loss {
	uint64_t known;
	bool more;
};

static inline void dat_add_loss(struct dat_loss *sum, struct dat_loss loss)
{
	dat_sum_lost(&sum->known, &sum->more, loss.known);
	sum->more |= loss.more;
}

/*
 * Were events of a CPU skipped up to here, because bytes are invalid? Or has the caller got all of
 * its events, and the file lacks later ones, because it is truncated? Nobody knows how many.
 */
bool dat_cpu_lacks_events(const struct rbmap_recording *recording, unsigned int cpu);

/* Has the caller stopped at an event that is too late for it? It has not used that event. */
bool dat_stops_early(const struct rbmap_recording *recording);
/*
 * Return the events that a CPU of a buffer has lost behind the last event that the caller has
 * used: those of dat_buffer_lost_last(). If it has stopped early, they may lie behind the time
 * at which it stopped, so that their number is not known.
 */
struct dat_loss dat_buffer_loss_behind(const struct rbmap_recording *recording,
				       unsigned int buffer, unsigned int cpu);
/* The same in all buffers that are chosen */
struct dat_loss dat_loss_behind(const struct rbmap_recording *recording, unsigned int cpu);

/*
 * A gap of a CPU is the time between its last event before a loss, and the next one. Is the event
 * that rbmap_recording_next() has stored in the gap of another CPU? The reader knows, because it
 * has the next event of each CPU. A loss before the first event of a CPU makes no gap.
 */
bool dat_is_in_gap(const struct rbmap_recording *recording);
/* Is it in a gap of this CPU? @at_end: the caller does not use it, and has used the one before. */
bool dat_cpu_is_in_gap(const struct rbmap_recording *recording, unsigned int cpu, bool at_end);

#endif /* RBMAP_DAT_READ_H */
