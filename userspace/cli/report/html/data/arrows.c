// SPDX-License-Identifier: GPL-2.0-only
#include "arrows.h"
#include "pack.h"

#define MOST_ARROWS	2048	/* in a piece */

void arrows_free(struct arrows *arrows)
{
	for (unsigned int i = 0; i < ARROW_COLUMNS; i++)
		buf_free(&arrows->column[i]);
}

static void pack_arrow(struct arrows *arrows, const struct arrow *arrow, uint64_t last)
{
	const uint64_t value[ARROW_COLUMNS] = {
		arrow->end - last, arrow->end - arrow->begin, arrow->cpu, arrow->waker,
		arrow->task, arrow->flags,
	};

	for (unsigned int i = 0; i < ARROW_COLUMNS; i++)
		pack_number(&arrows->column[i], value[i]);
}

int arrows_add(struct arrows *arrows, struct store *store, const struct arrow *arrow)
{
	if (arrow->end < arrows->end || arrow->begin > arrow->end)
		return 0;
	/* The first end of a piece counts from 0, because the piece begins with a wake-up. */
	pack_arrow(arrows, arrow, arrows->nr ? arrows->end : 0);
	if (!arrows->nr || arrow->begin < arrows->begin)
		arrows->begin = arrow->begin;
	arrows->end = arrow->end;
	return ++arrows->nr < MOST_ARROWS ? 0 : arrows_flush(arrows, store);
}

int arrows_flush(struct arrows *arrows, struct store *store)
{
	struct piece piece = {
		.kind = PIECE_ARROWS, .owner = arrows->number, .count = arrows->nr,
		.begin = arrows->begin, .end = arrows->end,
	};
	struct buf data = { 0 };
	int ret;

	if (!arrows->nr)
		return 0;
	for (unsigned int i = 0; i < ARROW_COLUMNS; i++)
		pack_column(&data, &arrows->column[i]);
	ret = store_add(store, &piece, &data);
	buf_free(&data);
	arrows->nr = 0;
	return ret;
}
