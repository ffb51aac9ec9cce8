/* SPDX-License-Identifier: LGPL-2.1-only */
/* Read a recording. The file may contain any bytes. */
#ifndef RBMAP_DAT_READ_H
#define RBMAP_DAT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rbmap.h>

#include "dat_times.h"

struct dat_place;
struct dat_reader;

/* Errors beside negative errno values. rbmap.h describes those of its own. */
enum dat_error {
	DAT_ERR_NO_RECORDING	= RBMAP_ERR_NO_RECORDING,
	DAT_ERR_VERSION		= RBMAP_ERR_DAT_VERSION,
	DAT_ERR_FOREIGN		= RBMAP_ERR_FOREIGN,
	DAT_ERR_CUT		= RBMAP_ERR_CUT,
	DAT_ERR_BROKEN		= RBMAP_ERR_BROKEN,
	DAT_ERR_LATENCY		= RBMAP_ERR_LATENCY,
	DAT_ERR_COMPRESSION	= RBMAP_ERR_COMPRESSION,
	DAT_ERR_COMPLETE	= -5007,	/* nothing is to be assembled */
	DAT_ERR_BUSY		= -5008,	/* it is still being recorded */
	DAT_ERR_NO_ZSTD		= RBMAP_ERR_NO_ZSTD,
	DAT_ERR_COMPRESSED	= RBMAP_ERR_COMPRESSED,
};

#define DAT_ERR_LAST	(-4999)	/* all these errors are smaller */

/* Return a text for such an error or a negative errno, without its subject, the file. */
const char *dat_strerror(int error);

int dat_open(struct dat_reader **reader, const char *path);
/* Read a regular file without a name. The function closes @fd, or dat_close() does. */
int dat_open_fd(struct dat_reader **reader, int fd);
/* Read an open file with the files beside its place. The caller keeps @fd and @place. */
int dat_open_at(struct dat_reader **reader, int fd, const struct dat_place *place);
void dat_close(struct dat_reader *reader);
int dat_fd(const struct dat_reader *reader);	/* the descriptor, for fstat() */

struct dat_text {
	const char *system;
	char *text;		/* terminated by a 0 */
	size_t size;
};

size_t dat_formats(const struct dat_reader *reader,
		   const struct dat_text **formats);
const struct dat_text *dat_kallsyms(const struct dat_reader *reader);
const struct dat_text *dat_cmdlines(const struct dat_reader *reader);
const char *dat_clock(const struct dat_reader *reader);	/* NULL: unknown */
/* "SYSTEM HOST RELEASE MACHINE" of the recorded kernel; NULL: unknown */
const char *dat_uname(const struct dat_reader *reader);
/* Those moments that the recording has; a recording of trace-cmd has none. */
const struct dat_times *dat_times(const struct dat_reader *reader);
unsigned int dat_cpus(const struct dat_reader *reader);
/* Bytes of a long of the recorded kernel: 4 or 8 */
unsigned int dat_long_size(const struct dat_reader *reader);
/* The printk formats of the kernel, and its constant strings: lines "0xADDRESS : "TEXT"" */
const struct dat_text *dat_printk(const struct dat_reader *reader);
/* Are the times of events those of CLOCK_REALTIME, because the recorder compared clocks? */
bool dat_is_dated(const struct dat_reader *reader);
/* Does the file have corrections of times? dat_next() has applied them. */
bool dat_is_corrected(const struct dat_reader *reader);
/* Return the corrected time of a CPU's event or sub-buffer. */
uint64_t dat_corrected(const struct dat_reader *reader, unsigned int cpu, uint64_t ts);

/*
 * The buffers of the recorded system, in the order of trace-cmd report. The first one is
 * the top buffer, which has no name (""), and may have no data.
 */
unsigned int dat_buffers(const struct dat_reader *reader);
const char *dat_buffer_name(const struct dat_reader *reader, unsigned int buffer);
/* Has the buffer bytes of events? */
bool dat_buffer_has_data(const struct dat_reader *reader, unsigned int buffer);
unsigned int dat_buffer_cpus(const struct dat_reader *reader, unsigned int buffer);
/* Read events of one buffer alone. This comes before the first event, or after dat_rewind(). */
void dat_choose_buffer(struct dat_reader *reader, unsigned int buffer);
bool dat_buffer_is_chosen(const struct dat_reader *reader, unsigned int buffer);
/* Return the buffer of the event that dat_next() has stored. */
unsigned int dat_event_buffer(const struct dat_reader *reader);

/* Return the ring's time of that event, without the corrections of the file. */
uint64_t dat_event_ring_time(const struct dat_reader *reader);

/*
 * Return 1 and store the next event in the order of time, valid until the next
 * call. Return 0 at the end, and < 0 if the file cannot be read.
 */
int dat_next(struct dat_reader *reader, struct rbmap_event *ev);

/*
 * Instead: return 1 and store the next sub-buffer of a CPU, valid until the next call for
 * this CPU; 0 at the end, or an error. The first call comes before dat_next(). The
 * sub-buffers are those of the chosen buffer, or of the top buffer. Their times are those
 * of the ring, without the corrections of the file.
 */
int dat_next_subbuf(struct dat_reader *reader, unsigned int cpu, struct rbmap_subbuf *sb);

/* Begin again with the first event. The chosen buffer stays. */
void dat_rewind(struct dat_reader *reader);

/* Return the part of the data that was read, from 0 to 1. */
double dat_done(const struct dat_reader *reader);

/*
 * After the last event: return the number of events lost after the last event
 * of a CPU, in all buffers that are read. It contains dat_missed().
 */
uint64_t dat_lost_last(const struct dat_reader *reader, unsigned int cpu);
/* The same for one buffer. */
uint64_t dat_buffer_lost_last(const struct dat_reader *reader, unsigned int buffer,
			      unsigned int cpu);

/*
 * Return the number of events that the kernel missed on a CPU while it was recorded, at any
 * time: they belong to the first buffer.
 */
uint64_t dat_missed(const struct dat_reader *reader, unsigned int cpu);

struct dat_cgroups;
/* Return the cgroups of the tasks, or NULL: the recording does not have them. */
const struct dat_cgroups *dat_cgroups(const struct dat_reader *reader);

struct dat_devices;
/* Return the names of block devices, or NULL: the recording does not have them. */
const struct dat_devices *dat_devices(const struct dat_reader *reader);

/* Damage that was found in the recording, as far as it was read. */
struct dat_damage {
	bool unfinished;	/* the data of CPUs is in files of their own */
	bool busy;		/* a process still writes the recording */
	unsigned int lacking;	/* CPUs of an unfinished recording that have no such file */
	uint64_t missing;	/* bytes in the table that the file lacks */
	uint64_t broken;	/* sub-buffers with invalid contents */
};
void dat_damage(const struct dat_reader *reader, struct dat_damage *damage);

#endif /* RBMAP_DAT_READ_H */
