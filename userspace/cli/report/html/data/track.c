// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "pack.h"
#include "track.h"

#define MOST_SLICES	4096	/* in a piece */
#define FIRST_ROOM	64

void track_init(struct track *track, unsigned int number, enum track_mode mode)
{
	*track = (struct track){ .number = number, .levels.mode = mode };
}

void track_free(struct track *track)
{
	free(track->slice);
	levels_free(&track->levels);
}

int track_add(struct track *track, struct store *store, uint64_t begin, uint64_t end,
	      uint64_t value)
{
	int ret = 0;

	if (begin < track->end)
		begin = track->end;
	if (end < begin || (end == begin && track->nr && end == track->end))
		return 0;
	if (track->nr == MOST_SLICES)
		ret = track_flush(track, store);
	else if (!array_reserve(track->slice, track->room, track->nr ? track->nr + 1 : FIRST_ROOM))
		ret = -ENOMEM;
	if (ret)
		return ret;
	track->slice[track->nr++] = (struct slice){ begin, end, value };
	track->end = end;
	return 0;
}

/* Columns: time between the slices, their lengths, and their values */
static void pack(const struct track *track, struct piece *piece, struct buf *data)
{
	struct buf gaps = { 0 }, lengths = { 0 }, values = { 0 };
	uint64_t end = piece->begin;

	for (unsigned int i = 0; i < track->nr; i++) {
		const struct slice *slice = &track->slice[i];

		pack_number(&gaps, slice->begin - end);
		pack_number(&lengths, slice->end - slice->begin);
		pack_number(&values, slice->value);
		piece->mask |= 1u << slice->value % 32;
		end = slice->end;
	}
	pack_column(data, &gaps);
	pack_column(data, &lengths);
	pack_column(data, &values);
	buf_free(&gaps);
	buf_free(&lengths);
	buf_free(&values);
}

static void add_levels(struct track *track, unsigned int finest)
{
	levels_close(&track->levels, finest);
	for (unsigned int i = 0; i < track->nr; i++)
		levels_add(&track->levels, finest, track->slice[i].begin, track->slice[i].end,
			   track->slice[i].value);
}

int track_flush(struct track *track, struct store *store)
{
	struct piece piece = { .kind = PIECE_SLICES, .owner = track->number, .count = track->nr };
	struct buf data = { 0 };
	int ret;

	if (!track->nr)
		return 0;
	piece.begin = track->slice[0].begin;
	piece.end = track->end;
	piece.level = levels_finest(piece.end - piece.begin, piece.count);
	pack(track, &piece, &data);
	add_levels(track, piece.level);
	ret = store_add(store, &piece, &data);
	buf_free(&data);
	if (!ret)
		ret = levels_flush(&track->levels, track->number, store);
	track->nr = 0;
	return ret;
}

void track_shrink(struct track *track)
{
	free(track->slice);
	track->slice = NULL;
	track->nr = track->room = 0;
}

int track_end(struct track *track, struct store *store, uint64_t time)
{
	int ret = track_flush(track, store);

	return ret ? ret : levels_end(&track->levels, track->number, store, time);
}
