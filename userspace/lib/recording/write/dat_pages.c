// SPDX-License-Identifier: LGPL-2.1-only
/* Write sub-buffers to the file as they are: from the map, without a copy. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/rbmap.h>

#include "dat_pages.h"
#include "dat_split.h"
#include "dat_write.h"
#include "dat_writer.h"
#include "recording/dat_read.h"

#define HEAD		RBMAP_SUBBUF_HEADER_SIZE
#define STORED_SIZE	sizeof(unsigned long)
#define MAX_PARTS	4

/* Drop the parts that a short write has written. */
static void advance(struct iovec **parts, int *nr, size_t put)
{
	while (*nr && put >= (*parts)->iov_len) {
		put -= (*parts)->iov_len;
		(*parts)++;
		(*nr)--;
	}
	if (*nr) {
		(*parts)->iov_base = (char *)(*parts)->iov_base + put;
		(*parts)->iov_len -= put;
	}
}

/* Write all parts, which this changes. Return 0 or a negative errno. */
static int write_parts(int fd, struct iovec *parts, int nr, uint64_t offset)
{
	ssize_t put;

	while (nr) {
		put = pwritev(fd, parts, nr, offset);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		offset += put;
		advance(&parts, &nr, put);
	}
	return 0;
}

int dat_write_at(int fd, const void *data, size_t size, uint64_t offset)
{
	struct iovec part = { .iov_base = (void *)data, .iov_len = size };

	return size ? write_parts(fd, &part, 1, offset) : 0;
}

uint64_t dat_data_size(const struct dat_writer *w, unsigned int cpu)
{
	return w->cpu[cpu].pages * w->page_size;
}

void dat_add_lost(struct dat_cpu *c, uint64_t lost)
{
	c->lost = dat_lost_sum(c->lost, lost);
}

static size_t lost_size(const struct dat_cpu *c)
{
	return c->lost && c->lost != RBMAP_LOST_UNKNOWN ? STORED_SIZE : 0;
}

static bool fits(const struct dat_writer *w, size_t size)
{
	return size <= w->page_size - HEAD;
}

bool dat_fits_page(const struct dat_writer *w, const struct dat_cpu *c,
		   size_t size)
{
	return fits(w, size + lost_size(c));
}

/* Write a page. Its rest is zeroes. */
static int write_page(struct dat_writer *w, struct dat_cpu *c, uint64_t ts,
		      const void *events, size_t size)
{
	size_t lost = dat_fits_page(w, c, size) ? lost_size(c) : 0;
	struct rbmap_subbuf_header header = {
		.time_stamp = ts,
		.commit = size | (c->lost ? RBMAP_MISSED_EVENTS : 0) |
			  (lost ? RBMAP_MISSED_STORED : 0),
	};
	uint64_t stored = c->lost;
	struct iovec parts[MAX_PARTS] = {
		{ .iov_base = &header, .iov_len = HEAD },
		{ .iov_base = (void *)events, .iov_len = size },
		{ .iov_base = &stored, .iov_len = lost },
		{ .iov_base = w->zeroes,
		  .iov_len = w->page_size - HEAD - size - lost },
	};

	return write_parts(c->fd, parts, MAX_PARTS, c->page.index * w->page_size);
}

int dat_append_page(struct dat_writer *w, struct dat_cpu *c, uint64_t ts,
		    const void *events, size_t size)
{
	int ret;

	c->page.open = false;
	ret = write_page(w, c, ts, events, size);
	if (ret)
		return ret;
	c->lost = 0;
	c->page.ts = ts;
	c->page.index++;
	c->pages = c->page.index;
	return 0;
}

/* Does the last page of the file end where the new part begins? */
static bool follows(const struct dat_writer *w, const struct dat_cpu *c,
		    const struct rbmap_subbuf *sb)
{
	const struct dat_page *p = &c->page;

	return p->open && !c->lost && sb->offset && sb->id == p->id &&
	       sb->offset == p->end && fits(w, sb->size - p->begin);
}

static const char *new_events(const struct rbmap_subbuf *sb)
{
	return (const char *)sb->start + HEAD + sb->offset;
}

/* Write the new part behind the events of the last page. */
static int extend_page(struct dat_writer *w, struct dat_cpu *c,
		       const struct rbmap_subbuf *sb)
{
	struct dat_page *p = &c->page;
	uint64_t offset = (p->index - 1) * w->page_size;
	struct rbmap_subbuf_header header = {
		.time_stamp = p->ts,
		.commit = sb->size - p->begin,
	};
	int ret;

	/* The header comes last: a killed recorder leaves a valid page. */
	ret = dat_write_at(c->fd, new_events(sb), sb->size - sb->offset,
			   offset + HEAD + sb->offset - p->begin);
	if (!ret)
		ret = dat_write_at(c->fd, &header, HEAD, offset);
	if (!ret)
		p->end = sb->size;
	return ret;
}

static int begin_page(struct dat_writer *w, struct dat_cpu *c,
		      const struct rbmap_subbuf *sb, uint64_t ts)
{
	/* The number of lost events is behind the events, which must stay. */
	bool may_grow = !c->lost;
	int ret;

	ret = dat_append_page(w, c, ts, new_events(sb), sb->size - sb->offset);
	if (ret)
		return ret;
	c->page.open = may_grow;
	c->page.id = sb->id;
	c->page.begin = sb->offset;
	c->page.end = sb->size;
	return 0;
}

int dat_add(struct dat_writer *w, unsigned int cpu,
	    const struct rbmap_subbuf *sb)
{
	struct dat_cpu *c = &w->cpu[cpu];
	uint64_t ts = sb->timestamp;
	int ret = 0;

	dat_add_lost(c, sb->lost);
	if (sb->offset > sb->size)
		return -EINVAL;
	if (sb->offset == sb->size)
		return 0;
	if (follows(w, c, sb)) {
		ret = extend_page(w, c, sb);
	} else {
		if (sb->offset)
			ret = dat_time_at(c, sb, &ts);
		if (!ret && !dat_fits_page(w, c, sb->size - sb->offset))
			return dat_split(w, c, sb, ts);
		if (!ret)
			ret = begin_page(w, c, sb, ts);
	}
	if (ret)
		dat_count_unwritten(c, sb);
	return ret;
}

void dat_next_ring(struct dat_writer *w, unsigned int cpu)
{
	w->cpu[cpu].page.open = false;
}

/* Return the time of the last page's header, which can come from a pipe. */
static uint64_t last_time(const struct dat_writer *w, const struct dat_cpu *c)
{
	uint64_t offset = (c->page.index - 1) * w->page_size;
	struct rbmap_subbuf_header header;

	if (!c->page.index || pread(c->fd, &header, HEAD, offset) != HEAD)
		return 0;
	return header.time_stamp;
}

int dat_report_last_loss(struct dat_writer *w, struct dat_cpu *c)
{
	return c->lost ? dat_append_page(w, c, last_time(w, c), NULL, 0) : 0;
}
