// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "dat_pages.h"
#include "dat_split.h"
#include "dat_writer.h"

#define HEAD		RBMAP_SUBBUF_HEADER_SIZE

struct dat_split {
	unsigned char *piece;		/* part of a sub-buffer, to be decoded */
	size_t piece_room;
	unsigned char *page;		/* events of the next page */
	size_t size;			/* bytes in the page */
	uint64_t nr;			/* events in the page */
	uint64_t ts;			/* time before the first of them */
};

void dat_split_free(struct dat_split *s)
{
	if (!s)
		return;
	free(s->piece);
	free(s->page);
	free(s);
}

static struct dat_split *split_of(struct dat_cpu *c)
{
	if (!c->split)
		c->split = calloc(1, sizeof(*c->split));
	return c->split;
}

/*
 * Copy the bytes from @from to @to as a sub-buffer of their own. @ts is the time
 * before these bytes.
 */
static int take_piece(struct dat_cpu *c, const struct rbmap_subbuf *sb,
		      size_t from, size_t to, uint64_t ts)
{
	struct rbmap_subbuf_header header = {
		.time_stamp = ts,
		.commit = to - from,
	};
	struct dat_split *s = split_of(c);
	size_t need = HEAD + to - from;

	if (!s)
		return -ENOMEM;
	if (!s->piece || need > s->piece_room) {
		free(s->piece);
		s->piece = malloc(need);
		s->piece_room = s->piece ? need : 0;
		if (!s->piece)
			return -ENOMEM;
	}
	memcpy(s->piece, &header, HEAD);
	memcpy(s->piece + HEAD, (const char *)sb->start + HEAD + from,
	       to - from);
	return 0;
}

int dat_time_at(struct dat_cpu *c, const struct rbmap_subbuf *sb, uint64_t *ts)
{
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;
	int ret;

	ret = take_piece(c, sb, 0, sb->offset, sb->timestamp);
	if (ret)
		return ret;
	while (rbmap_decode(c->split->piece, HEAD + sb->offset, &cursor,
			    &ev) == 1)
		;
	*ts = cursor.ts;
	return 0;
}

void dat_count_unwritten(struct dat_cpu *c, const struct rbmap_subbuf *sb)
{
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;
	size_t size = sb->size - sb->offset;

	if (take_piece(c, sb, sb->offset, sb->size, sb->timestamp))
		return;
	while (rbmap_decode(c->split->piece, HEAD + size, &cursor, &ev) == 1)
		c->unwritten++;
}

/* Return the bytes of an event before its payload. */
static size_t event_head(const struct rbmap_event *ev)
{
	return ev->size && ev->size % 4 == 0 &&
	       ev->size / 4 <= RBMAP_TYPE_LEN_MAX ? 4 : 8;
}

/* Return the bytes of an event with its payload. */
static size_t event_bytes(const struct rbmap_event *ev)
{
	return event_head(ev) + round_up_to(ev->size, 4);
}

static void append(struct dat_split *s, const void *bytes, size_t size)
{
	memcpy(s->page + s->size, bytes, size);
	s->size += size;
}

/* Add the first event of a page. The page's header has its time. */
static void append_first(struct dat_split *s, const struct rbmap_event *ev)
{
	uint32_t head[2] = { 0, ev->size + 4 };

	if (event_head(ev) == 4)
		head[0] = ev->size / 4;
#if __BYTE_ORDER == __BIG_ENDIAN
	head[0] <<= 27;
#endif
	s->ts = ev->ts;
	append(s, head, event_head(ev));
	append(s, ev->data, round_up_to(ev->size, 4));
}

static int put_page(struct dat_writer *w, struct dat_cpu *c)
{
	struct dat_split *s = c->split;
	int ret;

	if (!s->nr)
		return 0;
	ret = dat_append_page(w, c, s->ts, s->page, s->size);
	if (ret)
		c->unwritten += s->nr;
	s->size = 0;
	s->nr = 0;
	return ret;
}

/* The next page reports an event that no page has room for. */
static int leave_out(struct dat_writer *w, struct dat_cpu *c,
		     const struct rbmap_event *ev)
{
	int ret = put_page(w, c);

	if (ret)
		return ret;
	dat_add_lost(c, 1);
	c->too_large++;
	c->split->ts = ev->ts;
	return 0;
}

/* Begin a page with an event. */
static int put_first(struct dat_writer *w, struct dat_cpu *c,
		     const struct rbmap_event *ev)
{
	int ret = put_page(w, c);

	/* The loss does not fit beside the event: it gets a page of its own. */
	if (!ret && !dat_fits_page(w, c, event_bytes(ev)))
		ret = dat_append_page(w, c, ev->ts, NULL, 0);
	if (ret)
		return ret;
	append_first(c->split, ev);
	c->split->nr = 1;
	return 0;
}

/*
 * Add an event to the page. @raw is the event with the padding and the time
 * deltas before it, which are valid only behind the event before.
 */
static int put_event(struct dat_writer *w, struct dat_cpu *c,
		     const struct rbmap_event *ev, const unsigned char *raw,
		     size_t raw_size)
{
	struct dat_split *s = c->split;

	if (event_bytes(ev) > w->page_size - HEAD)
		return leave_out(w, c, ev);
	if (!dat_fits_page(w, c, s->size + raw_size))
		return put_first(w, c, ev);
	append(s, raw, raw_size);
	s->nr++;
	return 0;
}

static int put_events(struct dat_writer *w, struct dat_cpu *c, size_t size)
{
	const unsigned char *piece = c->split->piece;
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;
	int ret = 0, decoded, error;
	size_t at = 0;

	while ((decoded = rbmap_decode(piece, HEAD + size, &cursor, &ev)) == 1) {
		if (!ret)
			ret = put_event(w, c, &ev, piece + HEAD + at,
					cursor.offset - at);
		/* The event was consumed, and the disk has no space for it. */
		if (ret)
			c->unwritten++;
		at = cursor.offset;
	}
	error = put_page(w, c);
	if (!ret)
		ret = error;
	return ret ? ret : decoded;
}

int dat_split(struct dat_writer *w, struct dat_cpu *c,
	      const struct rbmap_subbuf *sb, uint64_t ts)
{
	int ret = take_piece(c, sb, sb->offset, sb->size, ts);

	if (!ret && !c->split->page) {
		c->split->page = malloc(w->page_size);
		ret = c->split->page ? 0 : -ENOMEM;
	}
	if (ret)
		return ret;
	c->split->ts = ts;
	c->split->size = 0;
	return put_events(w, c, sb->size - sb->offset);
}
