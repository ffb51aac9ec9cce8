/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Write a part of a recording as a recording of its own. It has all headers and options of the
 * first one, and the chosen events at their times in the ring. The file has version 7,
 * compressed by zstd.
 *
 * Functions return 0 or more for success, a negative errno, or an enum dat_error.
 */
#ifndef RBMAP_RECORDING_ASSEMBLE_DAT_CUT_H
#define RBMAP_RECORDING_ASSEMBLE_DAT_CUT_H

#include <stdint.h>
#include <rbmap.h>

#include "recording/dat_read.h"

struct dat_cut;
struct rbmap_recording;

/*
 * Begin a part of @reader, which must live longer. @spool: an empty file, in which the data of
 * the CPUs is kept until dat_cut_write().
 */
int dat_cut_new(struct dat_cut **cut, struct rbmap_recording *reader, int spool);
void dat_cut_free(struct dat_cut *cut);

/* Add the event that rbmap_recording_next() has stored, and its number of lost events. */
int dat_cut_add(struct dat_cut *cut, const struct rbmap_event *ev);

/*
 * Do not add the event, but @lost of the events before it. The file says how many events of
 * each CPU were left out.
 */
void dat_cut_leave_out(struct dat_cut *cut, const struct rbmap_event *ev, uint64_t lost);

/*
 * After the last event: add the events that a CPU has lost behind its last one, and return
 * them. Those that the kernel missed are in its counters. If the reader has stopped early, nobody
 * knows how many of these are in the part, and they are among those that are returned. So are
 * the events that a truncated or damaged file lacks.
 */
struct dat_loss dat_cut_add_lost_last(struct dat_cut *cut, unsigned int cpu);

/* Leave out the counters of a CPU, whose events are left out. */
void dat_cut_drop_counters(struct dat_cut *cut, unsigned int cpu);

/*
 * Write the file from its first to its last byte, once. Buffers that are not chosen in the
 * reader are left out.
 */
int dat_cut_write(struct dat_cut *cut, int fd);

/* Return the negative errno of a write that has failed, or 0. */
int dat_cut_write_error(const struct dat_cut *cut);

#endif /* RBMAP_RECORDING_ASSEMBLE_DAT_CUT_H */
