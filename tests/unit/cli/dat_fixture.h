/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording that tests write, assemble and read. Programs with the fixture have the
 * functions fdatasync(), fallocate() and fstatvfs() of it in place of the C library's.
 */
#ifndef DAT_FIXTURE_H
#define DAT_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli_synth.h"
#include "recording/assemble/dat_assemble.h"
#include "recording/dat_read.h"

#define NR_CPUS		3
#define MAX_EXPECTED	300000

extern char path[64];		/* the recording */

/* RBMAP_TEST_SHORT=1: a third of the lengths of files, a fifth of the random damage, fewer kills */
extern bool brief;

extern uint64_t seed;
uint64_t rnd(uint64_t limit);

/* Create the file of the recording. Return false if that fails. */
bool begin_recordings(void);

/* ---- events that the recording must have */

struct expected {
	uint64_t nr, ts, lost;
	uint32_t size;		/* 0: of a number */
	int cpu;
};

extern struct expected expected[MAX_EXPECTED];
extern size_t nr_expected;
extern uint64_t last_lost[NR_CPUS];

/* Write many events in sub-buffers that come in pieces, with losses. */
void write_random(struct dat_writer *w, unsigned int pages);
/* Return an event of any size from 16 bytes on. */
const void *fill_payload(uint64_t nr, size_t size);
/* Check that the recording has the expected events. */
void check_random(bool finished);
size_t count_events(void);

/* ---- write and assemble */

struct dat_writer *create(void);
/* Write the events of CPU 0. */
void add(struct dat_writer *w, struct synth *s, uint64_t lost);
/* Write all but the last step: the data is still in the files of the CPUs. */
void leave_unfinished(struct dat_writer *w);
void finish(struct dat_writer *w);
/* Complete a recording of any name, with or without events. */
void finish_as(struct dat_writer *w, const char *name);
int nr_files(void);
/* Remove files that an interrupted compression has left. */
void remove_others(void);

/* Be stopped, or killed, at a part of the work, from 0 to 1. */
void set_end(double stop, double kills);
extern double done_before;	/* how far the work came */

/* Functions of dat_assembly.go_on */
bool go_on(void *data, double done);
bool go_on_always(void *data, double done);

/* Lock a recording, and assemble it. */
int lock_and_assemble(const char *name, struct dat_assembly *a);
int assemble_until(bool compress, double end);
void assemble(bool compress);

/* ---- the disk */

extern bool sync_fails;		/* fdatasync() returns EIO */
/* The process is killed behind so many pieces that were freed. */
extern int kill_at_free;
/* How many bytes the file system is said to have. */
extern uint64_t space_left;

#endif /* DAT_FIXTURE_H */
