// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/rbmap.h>

#include "dat_pages.h"
#include "dat_write.h"
#include "dat_writer.h"

#define HEAD		RBMAP_SUBBUF_HEADER_SIZE
#define STORED_SIZE	sizeof(unsigned long)

int dat_write_at(int fd, const void *data, size_t size, uint64_t offset)
{
	const char *p = data;
	ssize_t put;

	while (size) {
		put = pwrite(fd, p, size, offset);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		p += put;
		size -= put;
		offset += put;
	}
	return 0;
}

uint64_t dat_data_size(const struct dat_writer *w, unsigned int cpu)
{
	return w->cpu[cpu].pages * w->page_size;
}

static void add_lost(struct dat_cpu *c, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN || c->lost == RBMAP_LOST_UNKNOWN)
		c->lost = lost ? RBMAP_LOST_UNKNOWN : c->lost;
	else
		c->lost += lost;
}

static void set_header(struct dat_writer *w, struct dat_page *p)
{
	struct rbmap_subbuf_header header;
	uint64_t stored = p->lost;

	memcpy(&header, p->bytes, sizeof(header));
	header.commit = p->size;
	if (p->lost) {
		header.commit |= RBMAP_MISSED_EVENTS;
		if (p->lost != RBMAP_LOST_UNKNOWN &&
		    w->page_size - HEAD - p->size >= STORED_SIZE) {
			header.commit |= RBMAP_MISSED_STORED;
			memcpy(p->bytes + HEAD + p->size, &stored,
			       sizeof(stored));
		}
	}
	memcpy(p->bytes, &header, sizeof(header));
}

static int write_page(struct dat_writer *w, struct dat_cpu *c, struct dat_page *p)
{
	uint64_t offset = p->index * w->page_size;

	if (offset + w->page_size > w->region)
		return -EFBIG;
	set_header(w, p);
	return dat_write_at(w->fd, p->bytes, w->page_size, c->offset + offset);
}

static void next_page(struct dat_writer *w, struct dat_page *p, uint64_t ts)
{
	p->index += p->written;
	memset(p->bytes, 0, w->page_size);
	memcpy(p->bytes, &ts, sizeof(ts));
	p->written = false;
	p->size = 0;
	p->lost = 0;
	p->cursor = (struct rbmap_cursor){ 0 };
}

/* Call @fn for the new events of the page. Return their number. */
static uint64_t count_events(struct dat_writer *w, struct dat_page *p,
			     dat_event_fn *fn, void *data)
{
	struct rbmap_event ev;
	uint64_t nr = 0;

	while (rbmap_decode(p->bytes, w->page_size, &p->cursor, &ev) == 1) {
		if (fn)
			fn(data, &ev);
		nr++;
	}
	return nr;
}

/* Return the time at the end of the page. */
static uint64_t page_time(const struct dat_page *p)
{
	uint64_t ts = p->cursor.ts;

	if (!p->size)
		memcpy(&ts, p->bytes, sizeof(ts));
	return ts;
}

/*
 * Copy the bytes from @from to @to as a sub-buffer of their own, which may be
 * larger than a page of the file. @ts is the time before these bytes.
 */
static int take_piece(struct dat_cpu *c, const struct rbmap_subbuf *sb,
		      size_t from, size_t to, uint64_t ts)
{
	struct rbmap_subbuf_header header = {
		.time_stamp = ts,
		.commit = to - from,
	};
	size_t need = HEAD + to - from;

	if (need > c->piece_room) {
		free(c->piece);
		c->piece = malloc(need);
		c->piece_room = c->piece ? need : 0;
		if (!c->piece)
			return -ENOMEM;
	}
	memcpy(c->piece, &header, HEAD);
	memcpy(c->piece + HEAD, (const char *)sb->start + HEAD + from,
	       to - from);
	return 0;
}

/*
 * Store the time at an offset of a sub-buffer that another reader has read to
 * there. The time deltas that follow count from it.
 */
static int time_at(struct dat_cpu *c, const struct rbmap_subbuf *sb,
		   uint64_t *ts)
{
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;
	int ret;

	ret = take_piece(c, sb, 0, sb->offset, sb->timestamp);
	if (ret)
		return ret;
	while (rbmap_decode(c->piece, HEAD + sb->offset, &cursor, &ev) == 1)
		;
	*ts = sb->offset ? cursor.ts : sb->timestamp;
	return 0;
}

/*
 * The number of lost events stands after the events of a page. If the page has
 * no room for it, move the first event to a page of its own that has room: the
 * flag alone would lose the number.
 */
static int split_page(struct dat_writer *w, struct dat_cpu *c)
{
	struct dat_page *p = &c->page, first = *p, rest = *p;
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;
	int ret;

	set_header(w, p);
	if (rbmap_decode(p->bytes, w->page_size, &cursor, &ev) != 1)
		return 0;
	first.size = cursor.offset;
	/* The event fills a page: report the flag without the number. */
	if (w->page_size - HEAD - first.size < STORED_SIZE)
		return 0;

	rest.bytes = calloc(1, w->page_size);
	if (!rest.bytes)
		return -ENOMEM;
	memcpy(rest.bytes, &ev.ts, sizeof(ev.ts));
	rest.index++;
	rest.size -= first.size;
	rest.lost = 0;
	rest.cursor.offset -= first.size;
	memcpy(rest.bytes + HEAD, p->bytes + HEAD + first.size, rest.size);

	/* If the disk has no space, the old page stays valid. */
	ret = write_page(w, c, &rest);
	if (!ret) {
		memset(first.bytes + HEAD + first.size, 0, rest.size);
		ret = write_page(w, c, &first);
	}
	if (ret) {
		free(rest.bytes);
		return ret;
	}
	free(p->bytes);
	*p = rest;
	return 0;
}

/* Write the page as it is now. More data may be added to it later. */
static int put_page(struct dat_writer *w, struct dat_cpu *c, dat_event_fn *fn,
		    void *data)
{
	struct dat_page *p = &c->page;
	uint64_t nr;
	int ret = 0;

	set_header(w, p);
	nr = count_events(w, p, fn, data);
	if (p->lost && p->lost != RBMAP_LOST_UNKNOWN &&
	    w->page_size - HEAD - p->size < STORED_SIZE)
		ret = split_page(w, c);
	if (!ret)
		ret = write_page(w, c, p);
	if (ret) {
		c->unwritten += nr;
		return ret;
	}
	p->written = true;
	/* The file now has all pages up to this one. */
	if (c->pages <= p->index)
		c->pages = p->index + 1;
	c->events += nr;
	return 0;
}

/* ---- events of a sub-buffer that is larger than a page */

static size_t room(const struct dat_writer *w, const struct dat_page *p)
{
	size_t lost = p->lost && p->lost != RBMAP_LOST_UNKNOWN ? STORED_SIZE : 0;

	return p->size + lost < w->page_size - HEAD ?
	       w->page_size - HEAD - lost - p->size : 0;
}

static void append(struct dat_page *p, const void *bytes, size_t size)
{
	memcpy(p->bytes + HEAD + p->size, bytes, size);
	p->size += size;
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

/* Add the first event of a page. The page's header has its time. */
static void append_first(struct dat_page *p, const struct rbmap_event *ev)
{
	uint32_t head[2] = { 0, ev->size + 4 };

	if (event_head(ev) == 4)
		head[0] = ev->size / 4;
#if __BYTE_ORDER == __BIG_ENDIAN
	head[0] <<= 27;
#endif
	memcpy(p->bytes, &ev->ts, sizeof(ev->ts));
	append(p, head, event_head(ev));
	append(p, ev->data, round_up_to(ev->size, 4));
}

/* Let this page, which is empty, report the loss until now. */
static void report_lost(struct dat_cpu *c)
{
	c->page.lost = c->lost;
	c->lost = 0;
}

/*
 * Add an event of a large sub-buffer. @raw is the event with the padding and
 * the time deltas before it, which are valid only in the same page.
 */
static int put_event(struct dat_writer *w, struct dat_cpu *c,
		     const struct rbmap_event *ev, const unsigned char *raw,
		     size_t raw_size, dat_event_fn *fn, void *data)
{
	struct dat_page *p = &c->page;
	int ret = 0;

	if (!c->lost && raw_size <= room(w, p)) {
		append(p, raw, raw_size);
		return 0;
	}
	/* An empty page is not in the file: its loss is still unreported. */
	if (!p->size) {
		add_lost(c, p->lost);
		p->lost = 0;
	}
	if (event_bytes(ev) > w->page_size - HEAD) {
		add_lost(c, 1);
		c->too_large++;
		return 0;
	}
	if (p->size) {
		ret = put_page(w, c, fn, data);
		if (ret)
			return ret;
		next_page(w, p, ev->ts);
	}
	report_lost(c);
	/* The number does not fit beside the event: write it in an empty page. */
	if (event_bytes(ev) > room(w, p)) {
		memcpy(p->bytes, &ev->ts, sizeof(ev->ts));
		ret = put_page(w, c, fn, data);
		if (ret)
			return ret;
		next_page(w, p, ev->ts);
	}
	append_first(p, ev);
	return 0;
}

/* Add the bytes after the last event, which may contain time deltas. */
static int put_end(struct dat_writer *w, struct dat_cpu *c,
		   const struct rbmap_cursor *cursor, size_t from, size_t end,
		   dat_event_fn *fn, void *data)
{
	struct dat_page *p = &c->page;
	bool fits = !c->lost && p->size && end - from <= room(w, p);
	int ret = 0;

	if (fits)
		append(p, c->piece + HEAD + from, end - from);
	if (p->size)
		ret = put_page(w, c, fn, data);
	else
		add_lost(c, p->lost);
	/* The next data counts from this time. */
	if (!ret && !fits)
		next_page(w, p, cursor->ts);
	return ret;
}

/* Split a sub-buffer. @ts is the time before its new part. */
static int add_split(struct dat_writer *w, struct dat_cpu *c,
		     const struct rbmap_subbuf *sb, uint64_t ts,
		     dat_event_fn *fn, void *data)
{
	size_t end = sb->size - sb->offset, at = 0;
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;
	int ret, decoded;

	ret = take_piece(c, sb, sb->offset, sb->size, ts);
	if (ret)
		return ret;
	while ((decoded = rbmap_decode(c->piece, HEAD + end, &cursor,
				       &ev)) == 1) {
		if (!ret)
			ret = put_event(w, c, &ev, c->piece + HEAD + at,
					cursor.offset - at, fn, data);
		/* The event was consumed, and the disk has no space for it. */
		if (ret)
			c->unwritten++;
		at = cursor.offset;
	}
	if (ret)
		return ret;
	ret = put_end(w, c, &cursor, at, decoded ? at : end, fn, data);
	return ret ? ret : decoded;
}

int dat_add(struct dat_writer *w, unsigned int cpu,
	    const struct rbmap_subbuf *sb, dat_event_fn *fn, void *data)
{
	struct dat_cpu *c = &w->cpu[cpu];
	struct dat_page *p = &c->page;
	size_t new = sb->size - sb->offset;
	uint64_t ts = sb->timestamp;
	bool follows;
	int ret;

	add_lost(c, sb->lost);
	if (!new)
		return 0;
	if (sb->offset > sb->size)
		return -EINVAL;

	follows = p->open && sb->offset && sb->id == p->id &&
		  p->end == sb->offset;
	if (follows) {
		ts = page_time(p);
	} else if (sb->offset) {
		ret = time_at(c, sb, &ts);
		if (ret)
			return ret;
	}
	/* Only the start of a page can report a loss, so a loss begins a page. */
	if (!follows || c->lost) {
		next_page(w, p, ts);
		report_lost(c);
	}
	p->open = true;
	p->id = sb->id;
	p->end = sb->size;
	if (new > w->page_size - HEAD - p->size)
		return add_split(w, c, sb, ts, fn, data);
	append(p, (const char *)sb->start + HEAD + sb->offset, new);
	return put_page(w, c, fn, data);
}

void dat_next_ring(struct dat_writer *w, unsigned int cpu)
{
	w->cpu[cpu].page.open = false;
}

int dat_report_last_loss(struct dat_writer *w, struct dat_cpu *c)
{
	if (!c->lost)
		return 0;
	next_page(w, &c->page, page_time(&c->page));
	report_lost(c);
	return put_page(w, c, NULL, NULL);
}
