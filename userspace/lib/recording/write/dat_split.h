/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Sub-buffers that do not fit a page of the file, because the ring's sub-buffers
 * became larger or because the number of lost events needs room. Their events
 * are decoded and go to as many pages as they need.
 */
#ifndef RBMAP_RECORDING_WRITE_DAT_SPLIT_H
#define RBMAP_RECORDING_WRITE_DAT_SPLIT_H

#include <stdint.h>
#include <rbmap.h>

struct dat_cpu;
struct dat_split;
struct dat_writer;

/*
 * Store the time at sb->offset, from which the time deltas of the new part
 * count. Return 0 or a negative errno.
 */
int dat_time_at(struct dat_cpu *c, const struct rbmap_subbuf *sb, uint64_t *ts);

/*
 * Write the new part of a sub-buffer, which begins at the time @ts. Return 0, a
 * negative errno or RBMAP_ERR_CORRUPT.
 */
int dat_split(struct dat_writer *w, struct dat_cpu *c,
	      const struct rbmap_subbuf *sb, uint64_t ts);

/* Count the new events of a sub-buffer as unwritten: the disk was full. */
void dat_count_unwritten(struct dat_cpu *c, const struct rbmap_subbuf *sb);

void dat_split_free(struct dat_split *split);

#endif /* RBMAP_RECORDING_WRITE_DAT_SPLIT_H */
