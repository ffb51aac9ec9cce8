/* SPDX-License-Identifier: LGPL-2.1-only */
/* The state of a part of a recording, which dat_cut.c fills and dat_cut_write.c writes. */
#ifndef RBMAP_RECORDING_ASSEMBLE_DAT_CUT_PARTS_H
#define RBMAP_RECORDING_ASSEMBLE_DAT_CUT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

#include "base/buf.h"
#include "dat_cut.h"
#include "recording/dat_reader.h"

/* A piece of the spool: a chunk with its sizes */
struct piece {
	uint64_t offset;
	uint32_t size;
};

/**
 * struct stream - a CPU of a buffer
 * @pages: the chunk that is filled; NULL: no event has come
 * @full: bytes of whole pages in it
 * @used: bytes of events in the page behind them
 * @ts: the time of the last event in that page
 * @page_ts, @page_lost: its time, and the events lost before it
 * @lost: events lost before the next event
 * @lost_more: behind the last event an unknown number was lost, too
 */
struct stream {
	unsigned char *pages;
	size_t full, used;
	bool open;
	uint64_t ts, page_ts, page_lost;
	uint64_t lost;
	bool lost_more;
	struct piece *piece;
	size_t nr_pieces;
};

struct dat_cut {
	struct rbmap_recording *r;
	int spool;
	uint64_t spool_size;
	struct stream *stream;
	uint64_t *left_out;		/* by each CPU */
	bool *drops_counters;
	unsigned int counters_of;	/* the buffer whose counters are copied */
	ZSTD_CCtx *zstd;
	struct buf packed;
	int write_error;
	/* dat_cut_write(): the first pass counts the bytes, the second one writes them. */
	int fd;
	bool counts;
	uint64_t at;
	uint64_t options_at;
	struct buf options;
};

/* Compress data into cut->packed, behind its sizes. Return 0 or a negative errno. */
int dat_cut_pack(struct dat_cut *cut, const void *data, size_t size);
/* After the last event: move all chunks to the spool. Return 0 or a negative errno. */
int dat_cut_end_streams(struct dat_cut *cut);

#endif /* RBMAP_RECORDING_ASSEMBLE_DAT_CUT_PARTS_H */
