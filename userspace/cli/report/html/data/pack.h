/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers in the data of a page. A number has seven bits in a byte, the lowest first. The
 * highest bit of a byte says that another byte follows.
 */
#ifndef RBMAP_REPORT_HTML_DATA_PACK_H
#define RBMAP_REPORT_HTML_DATA_PACK_H

#include <stdint.h>

#include "base/buf.h"

#define PACK_ROOM	10	/* most bytes of a number */

static inline void pack_number(struct buf *b, uint64_t value)
{
	char *at = buf_room(b, PACK_ROOM);

	if (!at)
		return;
	for (; value >= 0x80; value >>= 7)
		*at++ = value | 0x80;
	*at++ = value;
	buf_end(b, at);
}

/* Append a signed number, so that small ones of both signs are short. */
static inline void pack_signed(struct buf *b, int64_t value)
{
	pack_number(b, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/* Append the bytes of @column, with their number before them, and empty @column. */
static inline void pack_column(struct buf *b, struct buf *column)
{
	pack_number(b, column->size);
	buf_add(b, column->data, column->size);
	b->failed |= column->failed;
	column->size = 0;
}

#endif /* RBMAP_REPORT_HTML_DATA_PACK_H */
