/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write a recording.
 *
 * The file is a recording that can be read at any time, whatever ends its
 * writer.  Each CPU has a region of the file to itself, far apart, the holes
 * between them take no space; so data is written once, to where it stays, and
 * the end of the recording needs nothing that a full disk could refuse.  Then
 * the holes are taken out.
 *
 * Functions return 0 or more for success and a negative errno.
 */
#ifndef RBMAP_CLI_DAT_WRITE_H
#define RBMAP_CLI_DAT_WRITE_H

#include <stdint.h>
#include <rbmap.h>

#include "common/buf.h"

struct dat_format {
	const char *system;
	const char *text;		/* the format file */
};

/* What a recording says beside its data. */
struct dat_source {
	const char *header_page;
	const char *header_event;
	const struct dat_format *formats;	/* by system */
	size_t nr_formats;
	const struct buf *kallsyms;
	const char *clocks;		/* the file trace_clock */
	const char *uname;
	const char *version;		/* of what recorded it */
	size_t page_size;		/* of a sub-buffer in the file */
	unsigned int nr_cpus;
};

struct dat_writer;

int dat_create(struct dat_writer **writer, const char *path,
	       const struct dat_source *source);

/* An event that was written, for who wants to look at it in passing. */
typedef void dat_event_fn(void *data, const struct rbmap_event *ev);

/*
 * Add what is new in a sub-buffer to a CPU's data; calls for one CPU come from
 * one thread at a time.  @lost: as in sb, told with what is new.
 *
 * A file has pages of one size.  Of a sub-buffer that is larger the events go to
 * as many pages as they need; an event that fits none of them is lost, and told
 * like any other that is.  RBMAP_ERR_CORRUPT: no such sub-buffer is written by
 * a ring; what is before that is in the file.
 */
int dat_add(struct dat_writer *writer, unsigned int cpu,
	    const struct rbmap_subbuf *sb, dat_event_fn *fn, void *data);

/* What comes now is from another ring: its sub-buffers go on with none before. */
void dat_next_ring(struct dat_writer *writer, unsigned int cpu);

uint64_t dat_events(const struct dat_writer *writer);	/* written so far */
uint64_t dat_unwritten(const struct dat_writer *writer); /* no space */
uint64_t dat_too_large(const struct dat_writer *writer); /* for its pages */
uint64_t dat_bytes(const struct dat_writer *writer);

/* Write sizes that are true now; any thread. */
int dat_update(struct dat_writer *writer);

/*
 * Write the names of threads, the counters of each CPU (nr_cpus texts, the
 * files per_cpu/cpuN/stats, each may be NULL) and final sizes, and take out
 * the holes; 1: all is written, but the holes had to stay.  Frees the writer in
 * any case.
 */
int dat_finish(struct dat_writer *writer, const struct buf *cmdlines,
	       char *const *cpustats);

/* Bytes for names of threads that there is room for. */
size_t dat_cmdlines_room(const struct dat_writer *writer);

#endif /* RBMAP_CLI_DAT_WRITE_H */
