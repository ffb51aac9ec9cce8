// SPDX-License-Identifier: LGPL-2.1-only
/* Read the events of all CPUs in the order of time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dat_reader.h"
#include "internal.h"

#define READ_AT_ONCE	32768

uint64_t dat_lost_sum(uint64_t a, uint64_t b)
{
	if (a == RBMAP_LOST_UNKNOWN || b > RBMAP_LOST_UNKNOWN - 1 - a)
		return RBMAP_LOST_UNKNOWN;
	return a + b;
}

static void add_lost(struct dat_cpu_reader *c, uint64_t lost)
{
	uint64_t known = dat_lost_sum(c->lost ? c->lost_known : 0, lost);

	/* An event that has reported the loss has cleared @lost alone. */
	if (!c->lost)
		c->lost_known = 0;
	if (known != RBMAP_LOST_UNKNOWN)
		c->lost_known = known;
	c->lost = dat_lost_sum(c->lost, lost);
}

static bool is_empty(const struct dat_cpu_reader *c)
{
	static const unsigned char zeros[HEAD];

	return !memcmp(c->page, zeros, HEAD);
}

/*
 * Skip pages in a hole of the file. A hole takes no space, so reading it would take time
 * out of proportion. The page with the next byte of data is read, and so is the last one.
 */
static void skip_hole(struct rbmap_recording *r, struct dat_cpu_reader *c)
{
	uint64_t end = c->size < c->limit ? c->size : c->limit, skip;
	off_t from = c->offset + c->at, data;

	if (c->chunks || c->at >= end || !c->page || !c->page_bytes || !is_empty(c))
		return;
	data = lseek(r->fd, from, SEEK_DATA);
	if (data < 0 && errno != ENXIO)
		return;
	skip = data < 0 || (uint64_t)(data - from) > end - c->at ? end - c->at :
								   (uint64_t)(data - from);
	skip -= skip % c->page_size;
	if (skip && skip == end - c->at)
		skip -= c->page_size;
	c->at += skip;
}

/*
 * Some pages are read at once, if words in each of them are aligned. Those of a recording that
 * is not finished may still change.
 */
static int allocate_pages(struct rbmap_recording *r, struct dat_cpu_reader *c)
{
	size_t room = c->page_size;
	int ret;

	if (!c->chunks && !r->damage.unfinished && c->page_size % sizeof(uint64_t) == 0)
		while (room + c->page_size <= READ_AT_ONCE && room < c->limit)
			room += c->page_size;
	ret = dat_limit_memory(&r->limits, r->file_size, room);
	if (ret)
		return ret;
	c->pages = malloc(room + HEAD);
	c->room = room;
	return c->pages ? 0 : -ENOMEM;
}

/* Read the page at c->at, and those behind it for which there is room. */
static int read_pages(struct rbmap_recording *r, struct dat_cpu_reader *c)
{
	uint64_t left = c->limit - c->at;
	size_t size = left < c->room ? left : c->room;
	int ret = dat_read_data(r, c, c->pages + HEAD - r->head, size, c->at);

	/* Whatever is wrong with a page behind it, this one may be whole. */
	if (ret && size > c->page_bytes) {
		size = c->page_bytes;
		ret = dat_read_data(r, c, c->pages + HEAD - r->head, size, c->at);
	}
	c->pages_at = c->at;
	c->pages_end = ret ? c->at : c->at + size;
	return ret ? ret : 1;
}

/* Let c->page be the page at c->at. Return 1, 0 at the end, or an error. */
static int find_page(struct rbmap_recording *r, struct dat_cpu_reader *c)
{
	bool is_read = c->at >= c->pages_at && c->at + c->page_bytes <= c->pages_end;
	int ret = 1;

	if (c->chunks)
		ret = dat_read_chunks(r, c, c->pages + HEAD - r->head, c->page_bytes);
	else if (!is_read)
		ret = read_pages(r, c);
	c->page = c->pages + (c->chunks ? 0 : c->at - c->pages_at);
	return ret;
}

/*
 * Give the sub-buffer of a 32-bit kernel the header of a 64-bit one. The bytes of the file
 * are behind the room by which the header grows, or which the page before it had. The number of
 * lost events becomes c->lost.
 */
static void widen_page(const struct rbmap_recording *r, struct dat_cpu_reader *c)
{
	struct rbmap_subbuf_header header = { 0 };
	const unsigned char *raw = c->page + HEAD - r->head;
	uint64_t missed = 0;
	uint32_t commit, lost;
	size_t end;

	memcpy(&header.time_stamp, raw, sizeof(header.time_stamp));
	memcpy(&commit, raw + sizeof(header.time_stamp), sizeof(commit));
	header.commit = commit & RBMAP_COMMIT_MASK;
	end = HEAD + header.commit;
	c->page_bytes += HEAD - r->head;
	if (commit & RBMAP_MISSED_EVENTS)
		missed = RBMAP_LOST_UNKNOWN;
	if (missed && commit & RBMAP_MISSED_STORED && end + sizeof(lost) <= c->page_bytes) {
		memcpy(&lost, c->page + end, sizeof(lost));
		missed = lost;
	}
	add_lost(c, missed);
	memcpy(c->page, &header, sizeof(header));
}

/*
 * Do the data end here by their own table? Otherwise the file was cut off, which dat_find_data()
 * has counted, or its recorder was killed.
 */
static bool ends_by_table(const struct rbmap_recording *r, const struct dat_cpu_reader *c)
{
	return c->limit == c->size && !r->damage.unfinished;
}

/* The last page may be shorter, and have all of its events nevertheless. */
static void check_short_page(struct rbmap_recording *r, struct dat_cpu_reader *c)
{
	bool lacks = dat_trim_page(c->page, c->page_bytes);

	if (!ends_by_table(r, c))
		return;
	c->is_whole = !lacks;
	dat_count_broken(r, c, lacks);
}

/* Return 1 if the next page was read, 0 at the end. */
static int next_page(struct rbmap_recording *r, struct dat_cpu_reader *c)
{
	uint64_t left;
	int ret;

	skip_hole(r, c);
	left = c->limit - c->at;
	/* A page has at least its header. */
	if (left < r->head || c->page_size < HEAD) {
		dat_count_broken(r, c, left && ends_by_table(r, c));
		c->at = c->limit;
		return 0;
	}
	ret = c->pages ? 0 : allocate_pages(r, c);
	if (ret)
		return ret;
	c->page_bytes = left < c->page_size ? left : c->page_size;
	c->is_whole = c->page_bytes == c->page_size;
	ret = find_page(r, c);
	if (!ret) {
		c->at = c->limit;
		c->page_bytes = 0;
		return 0;
	}
	if (ret == RBMAP_ERR_CUT) {
		/* The file became shorter while it was read. */
		dat_add_missing(r, left);
		c->lacks = true;
		c->at = c->limit;
		return 0;
	}
	if (ret < 0)
		return ret;
	if (r->damage.unfinished && is_empty(c)) {
		c->at = c->limit;
		return 0;
	}
	c->at += c->page_bytes;
	c->cursor = (struct rbmap_cursor){ 0 };
	if (r->long_size == 4)
		widen_page(r, c);
	if (!c->is_whole)
		check_short_page(r, c);
	add_lost(c, rbmap_decode_lost(c->page, c->page_bytes));
	return 1;
}

/* Find where the events of the page end. */
static void find_events(struct rbmap_recording *r, struct dat_cpu_reader *c)
{
	struct rbmap_subbuf_header header;
	size_t size;

	memcpy(&header, c->page, sizeof(header));
	/* ftrace sign-extends bit 31 of commit: the mask clears the upper half as well. */
	size = header.commit & RBMAP_COMMIT_MASK;
	if (size <= c->page_bytes - HEAD)
		c->events_size = size;
	else if (c->is_whole)
		dat_count_broken(r, c, 1);
}

/* Return 1 if c->ev is the next event of this stream, 0 at the end. */
static int next_event(struct rbmap_recording *r, struct dat_cpu_reader *c)
{
	int ret;

	for (;;) {
		ret = c->cursor.offset >= c->events_size ? 0 :
			rbmap_decode_bytes(c->page, c->events_size, &c->cursor, &c->ev);
		if (ret == 1) {
			c->ev.cpu = c->cpu;
			if (dat_correction_is_any(&r->correction))
				c->ev.ts = dat_correct(&r->correction, c->cpu, c->ev.ts);
			c->ev.lost = c->lost;
			c->lost = 0;
			return 1;
		}
		/* The last page of a truncated file may end within an event. */
		if (ret < 0 && c->is_whole)
			dat_count_broken(r, c, 1);
		c->events_size = 0;
		ret = next_page(r, c);
		if (ret <= 0) {
			c->ev.lost = 0;
			return ret;
		}
		find_events(r, c);
	}
}

/* If events have the same time, that of the first stream comes first. */
static inline bool is_older(const struct dat_head *a, const struct dat_head *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->c < b->c;
}

static inline void sift_down(struct dat_head *heap, unsigned int nr, unsigned int i)
{
	struct dat_head head = heap[i];
	unsigned int child;

	while ((child = 2 * i + 1) < nr) {
		if (child + 1 < nr && is_older(&heap[child + 1], &heap[child]))
			child++;
		if (!is_older(&heap[child], &head))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = head;
}

static int start(struct rbmap_recording *r)
{
	int ret;

	r->started = true;
	for (struct dat_cpu_reader *c = r->cpu; c < r->cpu + r->nr_streams; c++) {
		if (!r->buffer[c->buffer].chosen)
			continue;
		ret = next_event(r, c);
		if (ret < 0)
			return ret;
		if (ret)
			r->heap[r->nr_heap++] = (struct dat_head){ c->ev.ts, c };
	}
	for (unsigned int i = r->nr_heap / 2; i--;)
		sift_down(r->heap, r->nr_heap, i);
	return 0;
}

/*
 * Take the next event of the stream with the oldest one. A loss before a stream's first event is
 * no gap: it may be older than the recording.
 */
static inline int take_next(struct rbmap_recording *r)
{
	struct dat_cpu_reader *c = r->heap->c;
	int ret;

	if (c->in_gap) {
		c->in_gap = false;
		r->nr_gaps--;
	}
	ret = next_event(r, c);
	if (ret < 0)
		return ret;
	if (c->ev.lost || c->lost) {
		c->in_gap = true;
		r->nr_gaps++;
	}
	r->heap->ts = c->ev.ts;
	if (!ret)
		*r->heap = r->heap[--r->nr_heap];
	if (r->nr_heap)
		sift_down(r->heap, r->nr_heap, 0);
	return 0;
}

RBMAP_API int rbmap_recording_next(struct rbmap_recording *r, struct rbmap_event *ev)
{
	int ret;

	/* The caller is done with the previous event. */
	if (r->nr_heap)
		ret = take_next(r);
	else
		ret = r->started ? 0 : start(r);
	if (ret || !r->nr_heap)
		return ret;
	*ev = r->heap->c->ev;
	return 1;
}

RBMAP_API int rbmap_recording_next_subbuf(struct rbmap_recording *r, unsigned int cpu,
					  struct rbmap_subbuf *sb)
{
	const struct dat_buffer *buffer = r->buffer;
	struct rbmap_subbuf_header header;
	struct dat_cpu_reader *c;
	size_t room, size;
	int ret;

	while (!buffer->chosen)
		buffer++;
	if (cpu >= buffer->nr_cpus)
		return 0;
	c = &r->cpu[buffer->first + cpu];
	ret = next_page(r, c);
	if (ret <= 0)
		return ret;
	memcpy(&header, c->page, sizeof(header));
	room = c->page_bytes - HEAD;
	size = header.commit & RBMAP_COMMIT_MASK;
	if (size > room)
		dat_count_broken(r, c, 1);
	*sb = (struct rbmap_subbuf){
		.start = c->page,
		.size = size > room ? 0 : size,
		.timestamp = header.time_stamp,
		.lost = c->lost,
	};
	c->lost = 0;
	return 1;
}

RBMAP_API void rbmap_recording_rewind(struct rbmap_recording *r)
{
	for (unsigned int stream = 0; stream < r->nr_streams; stream++) {
		struct dat_cpu_reader *c = &r->cpu[stream];

		c->at = 0;
		c->page_bytes = 0;
		c->pages_end = 0;	/* Some have been changed. */
		c->events_size = 0;
		c->cursor = (struct rbmap_cursor){ 0 };
		c->lost = 0;
		c->ev.lost = 0;
		c->in_gap = false;
		c->is_broken = false;
		if (c->chunks)
			dat_rewind_chunks(c->chunks);
	}
	r->nr_heap = 0;
	r->nr_gaps = 0;
	r->started = false;
	r->damage = r->damage_of_heads;
}
