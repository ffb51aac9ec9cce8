// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The data of a recording that is not compressed. While a recording is unfinished, the
 * data of a CPU beyond its size in the table is in a file of the CPU.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "dat_reader.h"
#include "dat_spool.h"

/* Open a CPU's file, which may be missing. */
static int open_spool(struct rbmap_recording *r, unsigned int cpu)
{
	struct dat_cpu_reader *c = &r->cpu[cpu];
	uint64_t size;
	int fd = dat_spool_open(&r->place, cpu, O_RDONLY, &size);

	if (fd == -ENOENT) {
		r->damage.lacking++;
		c->lacks = true;
		return 0;
	}
	if (fd < 0)
		return fd;
	c->spool = fd;
	if (size > c->limit && c->limit == c->size)
		c->limit = size;
	return 0;
}

static bool is_locked(const struct rbmap_recording *r)
{
	if (!flock(r->fd, LOCK_SH | LOCK_NB)) {
		flock(r->fd, LOCK_UN);
		return false;
	}
	return errno == EWOULDBLOCK;
}

/* Damaged tables may say any sizes. */
void dat_add_missing(struct rbmap_recording *r, uint64_t bytes)
{
	if (__builtin_add_overflow(r->damage.missing, bytes, &r->damage.missing))
		r->damage.missing = UINT64_MAX;
}

int dat_find_data(struct rbmap_recording *r)
{
	uint64_t sum = 0;
	int ret;

	for (uint32_t i = 0; i < r->nr_streams; i++) {
		struct dat_cpu_reader *c = &r->cpu[i];
		uint64_t left;

		/* dat_open_chunks() has set the limit. */
		if (c->chunks)
			continue;
		left = c->offset < r->file_size ? r->file_size - c->offset : 0;
		c->limit = left < c->size ? left : c->size;
		c->lacks = c->limit < c->size;
		if (c->lacks)
			dat_add_missing(r, c->size - c->limit);
		sum += c->limit;
		ret = r->damage.unfinished && !c->buffer ? open_spool(r, i) : 0;
		if (ret)
			return ret;
	}
	if (r->damage.unfinished && !r->shares_lock)
		r->damage.busy = is_locked(r);
	/* The data of several CPUs overlaps. */
	return sum > r->file_size ? RBMAP_ERR_BROKEN : 0;
}

int dat_read_data(struct rbmap_recording *r, const struct dat_cpu_reader *c, void *data,
		  size_t size, uint64_t at)
{
	size_t here = at >= c->size ? 0 : c->size - at < size ? c->size - at : size;
	int ret = here ? dat_read_at(r->fd, data, here, c->offset + at) : 0;

	if (ret || here == size)
		return ret;
	return dat_read_at(c->spool, (char *)data + here, size - here, at + here);
}

/*
 * The last page of a truncated file is shorter than its header says. Correct
 * the header, so that the events in the page can be decoded.
 */
bool dat_trim_page(void *page, size_t page_bytes)
{
	struct rbmap_subbuf_header header;
	size_t room = page_bytes - HEAD;
	uint64_t above;

	memcpy(&header, page, sizeof(header));
	/* ftrace sign-extends bit 31, RBMAP_MISSED_EVENTS. */
	above = header.commit >> 32;
	if ((header.commit & RBMAP_COMMIT_MASK) <= room ||
	    (above && (above != UINT32_MAX || !(header.commit & RBMAP_MISSED_EVENTS))))
		return false;
	header.commit &= RBMAP_MISSED_EVENTS;
	header.commit |= room & ~(size_t)3;
	memcpy(page, &header, sizeof(header));
	return true;
}

int dat_read_pages(struct rbmap_recording *r, const struct dat_cpu_reader *c, void *pages,
		   size_t size, uint64_t at)
{
	size_t got = c->limit - at < size ? c->limit - at : size;
	size_t last = got % c->page_size;
	int ret = dat_read_data(r, c, pages, got, at);

	if (ret || got == size)
		return ret;
	memset((char *)pages + got, 0, size - got);
	if (last >= HEAD)
		dat_trim_page((char *)pages + got - last, last);
	else
		memset((char *)pages + got - last, 0, last);
	return 0;
}
