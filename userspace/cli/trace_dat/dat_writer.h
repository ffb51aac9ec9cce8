/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a recording that is being written. dat_write.c, dat_head.c and
 * dat_pages.c share it.
 */
#ifndef RBMAP_CLI_DAT_WRITER_H
#define RBMAP_CLI_DAT_WRITER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <rbmap.h>

#include "common/buf.h"

/* A page of the file: a sub-buffer, or the part of it that was new. */
struct dat_page {
	unsigned char *bytes;
	uint64_t index;			/* index in the CPU's region */
	bool written;			/* the file has what the page has now */
	bool open;			/* more data may be added */
	uint32_t id;			/* id of the sub-buffer */
	size_t end;			/* end of our data in the sub-buffer */
	size_t size;			/* size of our data */
	uint64_t lost;			/* loss that the page reports */
	struct rbmap_cursor cursor;	/* end of the counted events */
};

struct dat_cpu {
	struct dat_page page;
	unsigned char *piece;		/* part of a sub-buffer, to be decoded */
	size_t piece_room;
	uint64_t offset;		/* offset of the CPU's region */
	uint64_t lost;			/* loss that no page reports yet */
	/* The CPU's thread writes these, other threads read them. */
	_Atomic uint64_t pages;		/* number of whole pages in the file */
	_Atomic uint64_t events;
	_Atomic uint64_t unwritten;
	_Atomic uint64_t too_large;
};

struct dat_writer {
	int fd;
	size_t page_size;
	unsigned int nr_cpus;
	uint64_t tail;			/* offset of the tail */
	uint64_t tail_end;		/* end of the room for the tail */
	uint64_t data;			/* offset of the first region */
	uint64_t region;		/* size of a region */
	char *clocks;
	char *uname;
	char *version;
	struct buf cmdlines;
	char *const *cpustats;
	bool finished;
	pthread_mutex_t tail_lock;
	struct dat_cpu *cpu;
};

static inline uint64_t round_up_to(uint64_t value, uint64_t step)
{
	return (value + step - 1) / step * step;
}

#endif /* RBMAP_CLI_DAT_WRITER_H */
