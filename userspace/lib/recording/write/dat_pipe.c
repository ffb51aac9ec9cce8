// SPDX-License-Identifier: LGPL-2.1-only
/* Move sub-buffers from a pipe to the file, as they are and many at once. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "dat_pages.h"
#include "dat_write.h"
#include "dat_writer.h"

/* Some file systems have no splice(): write a page of the pipe from memory. */
static ssize_t copy_page(int pipe, int fd, uint64_t offset, size_t page_size)
{
	void *page = malloc(page_size);
	size_t got = 0;
	ssize_t ret = page ? 0 : -ENOMEM;

	while (!ret && got < page_size) {
		ssize_t more = read(pipe, (char *)page + got, page_size - got);

		if (more > 0)
			got += more;
		else if (!more || errno != EINTR)
			ret = more ? -errno : -EIO;
	}
	if (!ret)
		ret = dat_write_at(fd, page, page_size, offset);
	free(page);
	return ret ? ret : (ssize_t)page_size;
}

/* Move @size bytes. Count in *@done what the file has, after an error too. */
static int move(const struct dat_writer *w, const struct dat_cpu *c, int pipe,
		uint64_t offset, size_t size, size_t *done)
{
	bool copies = false;

	for (*done = 0; *done < size;) {
		off_t to = offset + *done;
		ssize_t ret;

		if (copies)
			ret = copy_page(pipe, c->fd, to, w->page_size);
		else if ((ret = splice(pipe, NULL, c->fd, &to, size - *done, 0)) < 0)
			ret = -errno;
		if (ret > 0)
			*done += ret;
		else if (ret == -EINVAL && !copies && *done % w->page_size == 0)
			copies = true;
		else if (ret != -EINTR)
			return ret ? ret : -EIO;
	}
	return 0;
}

/* Return the number of events in pages of the file. */
static uint64_t count_events(const struct dat_writer *w, const struct dat_cpu *c,
			     uint64_t offset, uint64_t pages)
{
	void *page = malloc(w->page_size);
	uint64_t events = 0;

	for (; page && pages; pages--, offset += w->page_size) {
		struct rbmap_cursor cursor = { 0 };
		struct rbmap_event ev;

		if (pread(c->fd, page, w->page_size, offset) != (ssize_t)w->page_size)
			break;
		while (rbmap_decode(page, w->page_size, &cursor, &ev) == 1)
			events++;
	}
	free(page);
	return events;
}

int dat_add_pipe(struct dat_writer *w, unsigned int cpu, int pipe, size_t size,
		 uint64_t events)
{
	struct dat_cpu *c = &w->cpu[cpu];
	uint64_t offset, pages;
	size_t done = 0;
	int ret;

	c->page.open = false;
	ret = dat_report_last_loss(w, c);
	offset = c->page.index * w->page_size;
	if (!ret)
		ret = move(w, c, pipe, offset, size, &done);
	pages = done / w->page_size;
	if (ret) {
		uint64_t written = count_events(w, c, offset, pages);

		c->unwritten += events > written ? events - written : 0;
	}
	c->page.index += pages;
	c->pages = c->page.index;
	return ret;
}
