/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The state of a recording that is being written. dat_write.c, dat_head.c,
 * dat_pages.c, dat_pipe.c and dat_split.c share it.
 */
#ifndef RBMAP_RECORDING_WRITE_DAT_WRITER_H
#define RBMAP_RECORDING_WRITE_DAT_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <rbmap.h>

#include "base/buf.h"
#include "dat_output.h"
#include "recording/dat.h"
#include "recording/dat_times.h"

/*
 * The last page of a CPU's data. It has the bytes from @begin to @end of a
 * sub-buffer: the map has them, and so no copy is kept here.
 */
struct dat_page {
	uint64_t index;			/* index of the next page in the CPU's file */
	bool open;			/* more of the sub-buffer may follow */
	uint32_t id;			/* id of the sub-buffer */
	size_t begin, end;
	uint64_t ts;			/* time before the first event */
};

struct dat_cpu {
	struct dat_page page;
	struct dat_split *split;	/* NULL: no sub-buffer was split yet */
	int fd;				/* the CPU's file (dat_spool.h) */
	uint64_t lost;			/* loss that no page reports yet */
	/* The CPU's thread writes these, other threads read them. */
	_Atomic uint64_t pages;		/* number of whole pages in the file */
	_Atomic uint64_t unwritten;
	_Atomic uint64_t too_large;
};

struct dat_writer {
	int fd;				/* the recording, locked */
	struct dat_output output;	/* its names */
	size_t page_size;
	void *zeroes;			/* as many as a page has */
	unsigned int nr_cpus;		/* changes in the caller's own thread only */
	unsigned int max_cpus;
	uint64_t tail;			/* offset of the tail */
	uint64_t tail_end;		/* end of the largest tail */
	uint64_t allocated;		/* bytes that the file has on the disk */
	size_t tables_room;		/* for names and tables, allocated too */
	struct buf names;		/* names of threads, until dat_finish() */
	struct buf tables;		/* texts of tasks and devices, each with its 0 byte */
	char *clocks;
	char *uname;
	char *version;
	char *const *cpustats;
	struct dat_times times;
	struct dat_cpu *cpu;
};

#endif /* RBMAP_RECORDING_WRITE_DAT_WRITER_H */
