/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data of a page. Pieces of data are put together to elements, each of which is
 * compressed, and decoded as a whole. The index has the place and the time of each piece, so
 * that the page decodes only the pieces that it shows.
 */
#ifndef RBMAP_REPORT_HTML_DATA_STORE_H
#define RBMAP_REPORT_HTML_DATA_STORE_H

#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

/**
 * enum piece_kind - what a piece of data has
 * @PIECE_EVENTS: events of a CPU
 * @PIECE_SLICES: slices of a track
 * @PIECE_LEVEL: a level of detail of a track
 * @PIECE_ARROWS: wake-ups of tasks that then ran on a CPU
 */
enum piece_kind { PIECE_EVENTS, PIECE_SLICES, PIECE_LEVEL, PIECE_ARROWS };

/**
 * struct piece - a piece of data
 * @owner: number of the track, or of the CPU
 * @level: PIECE_LEVEL: the level; PIECE_SLICES: the finest one that this piece has
 * @count: number of events, slices, steps or arrows
 * @begin, @end: times of the first and the last one
 * @mask: a bit for each value modulo 32; PIECE_LEVEL: 1: events were lost in a step
 */
struct piece {
	enum piece_kind kind;
	unsigned int owner;
	unsigned int level;
	unsigned int count;
	uint64_t begin, end;
	uint32_t mask;
};

struct store;

/* @threads: threads that compress, at most 4. Return NULL: out of memory. */
struct store *store_new(FILE *out, unsigned int threads);
void store_free(struct store *store);

/* Add a piece. Return 0 or a negative errno. */
int store_add(struct store *store, const struct piece *piece, const struct buf *data);

/* Write all elements. Return 0 or a negative errno. */
int store_end(struct store *store);

/*
 * Return an estimate of the bytes that all pieces take in the page. It does not depend on
 * the progress of the threads, so that each run makes the same page.
 */
uint64_t store_estimate(const struct store *store);

/* Return the index: arrays of JSON, with commas between them. */
const struct buf *store_index(const struct store *store);

#endif /* RBMAP_REPORT_HTML_DATA_STORE_H */
