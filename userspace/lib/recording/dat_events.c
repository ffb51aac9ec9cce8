// SPDX-License-Identifier: LGPL-2.1-only
/* Read the events of all CPUs in the order of time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dat_reader.h"

static void add_lost(struct dat_cpu_reader *c, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN || c->lost == RBMAP_LOST_UNKNOWN)
		c->lost = lost ? RBMAP_LOST_UNKNOWN : c->lost;
	else if (lost > RBMAP_LOST_UNKNOWN - 1 - c->lost)
		c->lost = RBMAP_LOST_UNKNOWN;
	else
		c->lost += lost;
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
static void skip_hole(struct dat_reader *r, struct dat_cpu_reader *c)
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
	skip -= skip % r->page_size;
	if (skip && skip == end - c->at)
		skip -= r->page_size;
	c->at += skip;
}

static int read_page(struct dat_reader *r, struct dat_cpu_reader *c)
{
	int ret = dat_read_data(r, c, c->page, c->page_bytes, c->at);

	return ret ? ret : 1;
}

/* Return 1 if the next page was read, 0 at the end. */
static int next_page(struct dat_reader *r, struct dat_cpu_reader *c)
{
	uint64_t left;
	int ret;

	skip_hole(r, c);
	left = c->limit - c->at;
	/* A page has at least its header. */
	if (left < HEAD || r->page_size < HEAD)
		return 0;
	if (!c->page) {
		ret = dat_limit_memory(&r->limits, r->file_size, r->page_size);
		if (ret)
			return ret;
		c->page = malloc(r->page_size);
		if (!c->page)
			return -ENOMEM;
	}
	c->page_bytes = left < r->page_size ? left : r->page_size;
	ret = c->chunks ? dat_read_chunks(r, c, c->page, c->page_bytes) :
			  read_page(r, c);
	if (!ret) {
		c->at = c->limit;
		c->page_bytes = 0;
		return 0;
	}
	if (ret == DAT_ERR_CUT) {
		/* The file became shorter while it was read. */
		r->damage.missing += left;
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
	if (c->page_bytes < r->page_size)
		dat_trim_page(c->page, c->page_bytes);
	add_lost(c, rbmap_decode_lost(c->page, c->page_bytes));
	return 1;
}

/* Return 1 if c->ev is the next event of this CPU, 0 at the end. */
static int next_event(struct dat_reader *r, unsigned int cpu)
{
	struct dat_cpu_reader *c = &r->cpu[cpu];
	int ret;

	for (;;) {
		ret = c->page_bytes ?
			rbmap_decode(c->page, c->page_bytes, &c->cursor,
				     &c->ev) : 0;
		if (ret == 1) {
			c->ev.cpu = cpu;
			c->ev.lost = c->lost;
			c->lost = 0;
			return 1;
		}
		/* The last page of a truncated file may end within an event. */
		if (ret < 0 && c->page_bytes == r->page_size)
			r->damage.broken++;
		ret = next_page(r, c);
		if (ret <= 0)
			return ret;
	}
}

static bool older(const struct dat_reader *r, unsigned int a, unsigned int b)
{
	uint64_t x = r->cpu[a].ev.ts, y = r->cpu[b].ev.ts;

	return x != y ? x < y : a < b;
}

static void sift_down(struct dat_reader *r, unsigned int i)
{
	unsigned int child, cpu = r->heap[i];

	while ((child = 2 * i + 1) < r->nr_heap) {
		if (child + 1 < r->nr_heap &&
		    older(r, r->heap[child + 1], r->heap[child]))
			child++;
		if (!older(r, r->heap[child], cpu))
			break;
		r->heap[i] = r->heap[child];
		i = child;
	}
	r->heap[i] = cpu;
}

static int start(struct dat_reader *r)
{
	int ret;

	r->started = true;
	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++) {
		ret = next_event(r, cpu);
		if (ret < 0)
			return ret;
		if (ret)
			r->heap[r->nr_heap++] = cpu;
	}
	for (unsigned int i = r->nr_heap / 2; i--;)
		sift_down(r, i);
	return 0;
}

int dat_next(struct dat_reader *r, struct rbmap_event *ev)
{
	int ret;

	if (!r->started) {
		ret = start(r);
		if (ret)
			return ret;
	} else if (r->nr_heap) {
		/* The caller is done with the previous event. */
		ret = next_event(r, r->heap[0]);
		if (ret < 0)
			return ret;
		if (!ret)
			r->heap[0] = r->heap[--r->nr_heap];
		if (r->nr_heap)
			sift_down(r, 0);
	}
	if (!r->nr_heap)
		return 0;
	*ev = r->cpu[r->heap[0]].ev;
	return 1;
}

int dat_next_subbuf(struct dat_reader *r, unsigned int cpu, struct rbmap_subbuf *sb)
{
	struct dat_cpu_reader *c = &r->cpu[cpu];
	struct rbmap_subbuf_header header;
	size_t room, size;
	int ret = next_page(r, c);

	if (ret <= 0)
		return ret;
	memcpy(&header, c->page, sizeof(header));
	room = c->page_bytes - HEAD;
	size = header.commit & RBMAP_COMMIT_MASK;
	if (size > room)
		r->damage.broken++;
	*sb = (struct rbmap_subbuf){
		.start = c->page,
		.size = size > room ? 0 : size,
		.timestamp = header.time_stamp,
		.lost = c->lost,
	};
	c->lost = 0;
	return 1;
}

void dat_rewind(struct dat_reader *r)
{
	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++) {
		struct dat_cpu_reader *c = &r->cpu[cpu];

		c->at = 0;
		c->page_bytes = 0;
		c->cursor = (struct rbmap_cursor){ 0 };
		c->lost = 0;
		if (c->chunks)
			dat_rewind_chunks(c->chunks);
	}
	r->nr_heap = 0;
	r->started = false;
	r->damage = r->damage_of_heads;
}
