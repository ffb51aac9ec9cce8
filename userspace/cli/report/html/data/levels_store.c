// SPDX-License-Identifier: GPL-2.0-only
/* Put the steps of levels of detail into the store. */
#include "levels.h"
#include "pack.h"
#include "store.h"

#define MOST_STEPS	2048	/* in a piece */
#define LEAST_STEPS	128	/* a page that shows fewer in its whole time needs no level */

static int flush_level(struct level *level, struct piece *piece, struct store *store)
{
	struct buf data = { 0 };
	int ret;

	piece->count = level->count;
	piece->mask = level->mark;
	piece->begin = level->first << levels_bits(piece->level);
	piece->end = (level->last + 1) << levels_bits(piece->level);
	pack_number(&data, level->first);
	pack_column(&data, &level->indexes);
	pack_column(&data, &level->values);
	pack_column(&data, &level->shares);
	ret = store_add(store, piece, &data);
	buf_free(&data);
	level->count = 0;
	level->mark = false;
	return ret;
}

static int flush_if(struct levels *levels, unsigned int number, struct store *store,
		    unsigned int at_least)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < NR_LEVELS; i++) {
		struct level *level = &levels->level[i];
		struct piece piece = { .kind = PIECE_LEVEL, .owner = number, .level = i };

		if (level->count && level->count >= at_least)
			ret = flush_level(level, &piece, store);
	}
	return ret;
}

int levels_flush(struct levels *levels, unsigned int number, struct store *store)
{
	return flush_if(levels, number, store, MOST_STEPS);
}

int levels_end(struct levels *levels, unsigned int number, struct store *store, uint64_t time)
{
	levels_close(levels, NR_LEVELS);
	for (unsigned int i = 0; i < NR_LEVELS; i++)
		if (time >> levels_bits(i) < LEAST_STEPS)
			levels->level[i].count = 0;
	return flush_if(levels, number, store, 1);
}
