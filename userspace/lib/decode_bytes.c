// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Decode the events of a sub-buffer.
 *
 * The bytes are not trusted.  Each length is checked against the end of the
 * committed bytes before it is used.  Each word is loaded once.  Each step
 * advances by at least one word.
 *
 * The static library has this file twice: for rings and for recordings (lib.mk).
 */
#include <string.h>

#include "internal.h"

#define TS_TOP		(~0ULL << 59)	/* bits that a time stamp event lacks */
#define TS_STEP		(1ULL << 59)

static size_t align_word(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* Add the top bits of @base; add one step if the low 59 bits have wrapped. */
static uint64_t absolute(uint64_t stamp, uint64_t base)
{
	stamp |= base & TS_TOP;
	if (stamp < base && base - stamp > TS_STEP / 2)
		stamp += TS_STEP;
	return stamp;
}

int rbmap_decode_bytes(const unsigned char *subbuf, size_t end,
		       struct rbmap_cursor *cursor, struct rbmap_event *ev)
{
	const unsigned char *data = subbuf + RBMAP_SUBBUF_HEADER_SIZE;
	size_t at = cursor->offset;
	uint64_t base, ts;

	memcpy(&base, subbuf, sizeof(base));
	ts = at ? cursor->ts : base;

	while (at < end) {
		size_t left = end - at, len, head = 4;
		uint32_t type_len, delta, word = 0;

		if (left < 4)
			return RBMAP_ERR_CORRUPT;
		rbmap_split(rbmap_load_word(data + at), &type_len, &delta);

		if (type_len == RBMAP_TYPE_PADDING && !delta) {
			at = end;
			break;
		}
		if (!type_len || type_len >= RBMAP_TYPE_PADDING) {
			if (left < 8)
				return RBMAP_ERR_CORRUPT;
			word = rbmap_load_word(data + at + 4);
		}

		switch (type_len) {
		case RBMAP_TYPE_PADDING:
			if (word < 4 || word > left - 4)
				return RBMAP_ERR_CORRUPT;
			ts += delta;
			len = 4 + align_word(word);
			if (len > left)
				return RBMAP_ERR_CORRUPT;
			at += len;
			continue;
		case RBMAP_TYPE_TIME_EXTEND:
			ts += delta + ((uint64_t)word << RBMAP_TS_SHIFT);
			at += 8;
			continue;
		case RBMAP_TYPE_TIME_STAMP:
			ts = absolute(delta + ((uint64_t)word << RBMAP_TS_SHIFT),
				      base);
			at += 8;
			continue;
		case 0:
			if (word < 4 || word > left - 4)
				return RBMAP_ERR_CORRUPT;
			head = 8;
			len = word - 4;
			break;
		default:
			len = 4 * (size_t)type_len;
			break;
		}
		if (head + align_word(len) > left)
			return RBMAP_ERR_CORRUPT;

		ev->ts = ts + delta;
		ev->data = data + at + head;
		ev->size = len;
		ev->cpu = -1;
		ev->lost = 0;
		cursor->ts = ev->ts;
		cursor->offset = at + head + align_word(len);
		return 1;
	}
	cursor->ts = ts;
	cursor->offset = at;
	return 0;
}
