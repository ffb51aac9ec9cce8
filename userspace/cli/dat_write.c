// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/rbmap.h>

#include "compact.h"
#include "dat.h"
#include "dat_write.h"

#define HEAD		RBMAP_SUBBUF_HEADER_SIZE
#define STORED_SIZE	sizeof(unsigned long)

#define REGION_MAX	(1ULL << 40)
#define REGION_MIN	(1ULL << 26)
#define COMMS_ROOM	(1u << 18)	/* some ten thousand threads */
#define CPUSTAT_ROOM	2048
#define OPTIONS_ROOM	4096

/* One page of the file: a sub-buffer, or the part of it that is new to us. */
struct page {
	unsigned char *bytes;
	uint64_t index;			/* in the CPU's region */
	bool open;			/* has something, and may get more */
	uint32_t id;			/* of the sub-buffer */
	size_t from;			/* where in it our data begins */
	size_t size;			/* of our data */
	uint64_t lost;			/* told by this page */
	struct rbmap_cursor cursor;	/* what was counted */
};

struct dat_cpu {
	struct page page;
	uint64_t offset;		/* of the region */
	uint64_t lost;			/* not told yet */
	/* Written by the CPU's thread, read by others. */
	_Atomic uint64_t pages;		/* that are whole in the file */
	_Atomic uint64_t events;
	_Atomic uint64_t unwritten;
};

struct dat_writer {
	int fd;
	size_t page_size;
	unsigned int nr_cpus;
	uint64_t tail;			/* where it begins */
	uint64_t tail_end;		/* what it has room to */
	uint64_t data;			/* where regions begin */
	uint64_t region;
	char *clocks;
	char *uname;
	char *version;
	struct buf comms;
	char *const *cpustats;
	bool finished;
	pthread_mutex_t tail_lock;
	struct dat_cpu *cpu;
};

static int write_at(int fd, const void *data, size_t size, uint64_t offset)
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

static uint64_t round_up_to(uint64_t value, uint64_t step)
{
	return (value + step - 1) / step * step;
}

/*
 * Headers.
 */
static void add_sized(struct buf *b, const char *text)
{
	buf_add_u64(b, strlen(text));
	buf_add(b, text, strlen(text));
}

static void add_formats(struct buf *b, const struct dat_source *source)
{
	uint32_t nr_systems = 0, nr;
	size_t i, j;

	/* By system, so each change of name is one more. */
	for (i = 0; i < source->nr_formats; i++)
		nr_systems += !i || strcmp(source->formats[i].system,
					   source->formats[i - 1].system);
	buf_add_u32(b, nr_systems);
	for (i = 0; i < source->nr_formats; i = j) {
		for (j = i; j < source->nr_formats &&
		     !strcmp(source->formats[i].system,
			     source->formats[j].system); j++)
			;
		nr = j - i;
		buf_add_string(b, source->formats[i].system);
		buf_add_u32(b, nr);
		for (size_t k = i; k < j; k++)
			add_sized(b, source->formats[k].text);
	}
}

static void add_head(struct buf *b, const struct dat_source *source)
{
	const unsigned char order_and_long[] = {
		__BYTE_ORDER == __BIG_ENDIAN, sizeof(long),
	};

	buf_add(b, DAT_MAGIC, DAT_MAGIC_SIZE);
	buf_add_string(b, DAT_VERSION);
	buf_add(b, order_and_long, sizeof(order_and_long));
	buf_add_u32(b, source->subbuf_size);
	buf_add_string(b, DAT_HEADER_PAGE);
	add_sized(b, source->header_page);
	buf_add_string(b, DAT_HEADER_EVENT);
	add_sized(b, source->header_event);
	buf_add_u32(b, 0);			/* ftrace's own events */
	add_formats(b, source);
	buf_add_u32(b, source->kallsyms->size);
	buf_add(b, source->kallsyms->data, source->kallsyms->size);
	buf_add_u32(b, 0);			/* printk formats */
}

static void add_option(struct buf *b, uint16_t option, const char *text)
{
	buf_add_u16(b, option);
	buf_add_u32(b, strlen(text) + 1);
	buf_add_string(b, text);
}

static void add_cpustat(struct buf *b, unsigned int cpu, const char *text)
{
	struct buf stat = { 0 };

	buf_printf(&stat, "CPU: %u\n%s\n", cpu, text);
	if (!stat.failed && stat.size < CPUSTAT_ROOM)
		add_option(b, DAT_OPTION_CPUSTAT, stat.data);
	buf_free(&stat);
}

static uint64_t data_size(const struct dat_writer *w, unsigned int cpu)
{
	return w->cpu[cpu].pages * w->page_size;
}

static void add_tail(struct buf *b, const struct dat_writer *w)
{
	char version[256];

	buf_add_u64(b, w->comms.size);
	buf_add(b, w->comms.data, w->comms.size);
	buf_add_u32(b, w->nr_cpus);

	buf_add(b, DAT_OPTIONS, DAT_WORD_SIZE);
	add_option(b, DAT_OPTION_TRACECLOCK, w->clocks);
	add_option(b, DAT_OPTION_UNAME, w->uname);
	snprintf(version, sizeof(version), "%s%s", w->version,
		 w->finished ? "" : DAT_UNFINISHED);
	add_option(b, DAT_OPTION_VERSION, version);
	for (unsigned int i = 0; w->cpustats && i < w->nr_cpus; i++)
		if (w->cpustats[i])
			add_cpustat(b, i, w->cpustats[i]);
	buf_add_u16(b, DAT_OPTION_DONE);

	buf_add(b, DAT_FLYRECORD, DAT_WORD_SIZE);
	for (unsigned int i = 0; i < w->nr_cpus; i++) {
		buf_add_u64(b, w->cpu[i].offset);
		buf_add_u64(b, data_size(w, i));
	}
}

/* One write: what kills us can hardly come in between. */
static int write_tail(struct dat_writer *w)
{
	struct buf b = { 0 };
	int ret;

	pthread_mutex_lock(&w->tail_lock);
	add_tail(&b, w);
	if (b.failed)
		ret = -ENOMEM;
	else if (w->tail + b.size > w->tail_end)
		ret = -E2BIG;
	else
		ret = write_at(w->fd, b.data, b.size, w->tail);
	pthread_mutex_unlock(&w->tail_lock);
	buf_free(&b);
	return ret;
}

int dat_update(struct dat_writer *w)
{
	return write_tail(w);
}

size_t dat_comms_room(const struct dat_writer *w)
{
	(void)w;
	return COMMS_ROOM;
}

/*
 * The largest regions that the file system has room for in a file's offsets
 * (16 TiB in ext4).  Nothing is allocated.
 */
static int place_regions(struct dat_writer *w)
{
	uint64_t size;

	for (w->region = REGION_MAX; w->region >= REGION_MIN; w->region /= 2) {
		size = w->data + w->nr_cpus * w->region;
		if (!ftruncate(w->fd, size))
			break;
		if (errno != EFBIG && errno != EINVAL)
			return -errno;
	}
	if (w->region < REGION_MIN)
		return -EFBIG;
	if (ftruncate(w->fd, w->data))
		return -errno;
	for (unsigned int i = 0; i < w->nr_cpus; i++)
		w->cpu[i].offset = w->data + i * w->region;
	return 0;
}

/*
 * All that the end of the recording will write over is written now, so that
 * it has its space.
 */
static int reserve_head(struct dat_writer *w, struct buf *head)
{
	size_t room = COMMS_ROOM + OPTIONS_ROOM + strlen(w->clocks) +
		      strlen(w->uname) +
		      (size_t)w->nr_cpus * (CPUSTAT_ROOM + 32);
	static const char zeros[4096];

	w->tail = head->size;
	w->tail_end = w->tail + room;
	w->data = round_up_to(w->tail_end + COMPACT_RESERVE, COMPACT_ALIGN);
	w->data = round_up_to(w->data, w->page_size);
	while (head->size < w->data && !head->failed)
		buf_add(head, zeros, sizeof(zeros));
	return head->failed ? -ENOMEM :
			      write_at(w->fd, head->data, w->data, 0);
}

static void free_writer(struct dat_writer *w)
{
	for (unsigned int i = 0; w->cpu && i < w->nr_cpus; i++)
		free(w->cpu[i].page.bytes);
	free(w->cpu);
	free(w->clocks);
	free(w->uname);
	free(w->version);
	pthread_mutex_destroy(&w->tail_lock);
	free(w);
}

static int init_writer(struct dat_writer *w, const struct dat_source *source)
{
	w->fd = -1;
	pthread_mutex_init(&w->tail_lock, NULL);
	w->page_size = source->subbuf_size;
	w->nr_cpus = source->nr_cpus;
	w->clocks = strdup(source->clocks);
	w->uname = strdup(source->uname);
	w->version = strdup(source->version);
	w->cpu = calloc(w->nr_cpus, sizeof(*w->cpu));
	if (!w->clocks || !w->uname || !w->version || !w->cpu)
		return -ENOMEM;
	for (unsigned int i = 0; i < w->nr_cpus; i++) {
		w->cpu[i].page.bytes = calloc(1, w->page_size);
		if (!w->cpu[i].page.bytes)
			return -ENOMEM;
	}
	return 0;
}

/*
 * btrfs takes new space for each write, which a full disk has not, unless a
 * file that is empty asks it to write in place.  Others don't know the flag.
 */
static void write_in_place(int fd)
{
	int flags;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags))
		return;
	flags |= FS_NOCOW_FL;
	ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

static int open_output(const char *path)
{
	struct stat st;
	int fd, ret = 0;

	/* A pipe or a terminal has no offsets; don't wait for its reader. */
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		ret = -errno;
	else if (!S_ISREG(st.st_mode))
		ret = -ESPIPE;
	else if (ftruncate(fd, 0))
		ret = -errno;
	if (ret) {
		close(fd);
		return ret;
	}
	write_in_place(fd);
	return fd;
}

int dat_create(struct dat_writer **writer, const char *path,
	       const struct dat_source *source)
{
	struct dat_writer *w = calloc(1, sizeof(*w));
	struct buf head = { 0 };
	int ret;

	if (!w)
		return -ENOMEM;
	ret = init_writer(w, source);
	if (ret)
		goto fail;
	ret = open_output(path);
	if (ret < 0)
		goto fail;
	w->fd = ret;
	add_head(&head, source);
	ret = head.failed ? -ENOMEM : reserve_head(w, &head);
	if (!ret)
		ret = place_regions(w);
	if (!ret)
		ret = write_tail(w);
	if (ret)
		goto fail;
	buf_free(&head);
	*writer = w;
	return 0;
fail:
	buf_free(&head);
	if (w->fd >= 0) {
		/* Nothing of use is in it, and it may hold a disk's last space. */
		if (ftruncate(w->fd, 0))
			ret = ret ? ret : -errno;
		close(w->fd);
	}
	free_writer(w);
	return ret;
}

/*
 * Pages.
 */
static void set_header(struct dat_writer *w, struct page *p)
{
	struct rbmap_subbuf_header header;
	unsigned long stored = p->lost;

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

static int write_page(struct dat_writer *w, struct dat_cpu *c, struct page *p)
{
	uint64_t offset = p->index * w->page_size;

	if (offset + w->page_size > w->region)
		return -EFBIG;
	set_header(w, p);
	return write_at(w->fd, p->bytes, w->page_size, c->offset + offset);
}

/* The file has all pages up to this one. */
static void have_page(struct dat_cpu *c)
{
	if (c->pages <= c->page.index)
		c->pages = c->page.index + 1;
}

static void next_page(struct dat_writer *w, struct page *p, uint64_t ts)
{
	if (p->open)
		p->index++;
	memset(p->bytes, 0, w->page_size);
	memcpy(p->bytes, &ts, sizeof(ts));
	p->open = true;
	p->size = 0;
	p->lost = 0;
	p->cursor = (struct rbmap_cursor){ 0 };
}

/* Look at the events that are new in the page.  Returns how many. */
static uint64_t count_events(struct dat_writer *w, struct page *p,
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

/*
 * The time at @offset of a sub-buffer that someone else read to there: what
 * the deltas that follow count from.
 */
static uint64_t time_at(struct dat_writer *w, struct page *p,
			const struct rbmap_subbuf *sb)
{
	next_page(w, p, sb->timestamp);
	p->size = sb->offset;
	memcpy(p->bytes + HEAD, (const char *)sb->start + HEAD, p->size);
	set_header(w, p);
	count_events(w, p, NULL, NULL);
	/* next_page() below must not skip this one: it was never written. */
	p->open = false;
	return sb->offset ? p->cursor.ts : sb->timestamp;
}

/*
 * The number of lost events stands after the events of a page.  If there is no
 * room the first event gets a page of its own, with the number: a flag without
 * a number would be less than we know.
 */
static int split_page(struct dat_writer *w, struct dat_cpu *c)
{
	struct page *p = &c->page, first = *p, rest = *p;
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;
	int ret;

	set_header(w, p);
	if (rbmap_decode(p->bytes, w->page_size, &cursor, &ev) != 1)
		return 0;
	first.size = cursor.offset;
	/* An event that fills its sub-buffer: the flag has to do. */
	if (w->page_size - HEAD - first.size < STORED_SIZE)
		return 0;

	rest.bytes = calloc(1, w->page_size);
	if (!rest.bytes)
		return -ENOMEM;
	memcpy(rest.bytes, &ev.ts, sizeof(ev.ts));
	rest.index++;
	rest.from += first.size;
	rest.size -= first.size;
	rest.lost = 0;
	rest.cursor.offset -= first.size;
	memcpy(rest.bytes + HEAD, p->bytes + HEAD + first.size, rest.size);

	/* If there is no space for it, what the file has stays as it is. */
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

int dat_add(struct dat_writer *w, unsigned int cpu,
	    const struct rbmap_subbuf *sb, dat_event_fn *fn, void *data)
{
	struct dat_cpu *c = &w->cpu[cpu];
	struct page *p = &c->page;
	size_t new = sb->size - sb->offset;
	uint64_t ts, nr, index;
	int ret = 0;

	if (sb->lost == RBMAP_LOST_UNKNOWN || c->lost == RBMAP_LOST_UNKNOWN)
		c->lost = sb->lost ? sb->lost : c->lost;
	else
		c->lost += sb->lost;
	if (!new)
		return 0;
	if (sb->size > w->page_size - HEAD || sb->offset > sb->size)
		return -EINVAL;

	/* A loss in the middle begins a page too: it is told at a start only. */
	if (!p->open || !sb->offset || sb->id != p->id || c->lost ||
	    p->from + p->size != sb->offset) {
		if (p->open && sb->offset && sb->id == p->id &&
		    p->from + p->size == sb->offset) {
			ts = p->cursor.ts;
		} else if (sb->offset) {
			index = p->index + p->open;
			ts = time_at(w, p, sb);
			p->index = index;
		} else {
			ts = sb->timestamp;
		}
		next_page(w, p, ts);
		p->id = sb->id;
		p->from = sb->offset;
		p->lost = c->lost;
		c->lost = 0;
	}
	memcpy(p->bytes + HEAD + p->size,
	       (const char *)sb->start + HEAD + sb->offset, new);
	p->size += new;
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
	have_page(c);
	c->events += nr;
	return 0;
}

uint64_t dat_events(const struct dat_writer *w)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < w->nr_cpus; i++)
		sum += w->cpu[i].events;
	return sum;
}

uint64_t dat_unwritten(const struct dat_writer *w)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < w->nr_cpus; i++)
		sum += w->cpu[i].unwritten;
	return sum;
}

uint64_t dat_bytes(const struct dat_writer *w)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < w->nr_cpus; i++)
		sum += data_size(w, i);
	return sum;
}

/*
 * The end.
 */

/* A loss after the last event: a page without events tells it. */
static int tell_last_loss(struct dat_writer *w, struct dat_cpu *c)
{
	uint64_t ts;
	int ret;

	if (!c->lost)
		return 0;
	memcpy(&ts, c->page.bytes, sizeof(ts));
	if (c->page.cursor.ts)
		ts = c->page.cursor.ts;
	next_page(w, &c->page, ts);
	c->page.lost = c->lost;
	c->lost = 0;
	ret = write_page(w, c, &c->page);
	if (!ret)
		have_page(c);
	return ret;
}

/* The cheap way: the file system shifts what follows each hole. */
static int collapse_holes(struct dat_writer *w, uint64_t to)
{
	uint64_t shift, size;
	int ret;

	for (unsigned int i = 0; i < w->nr_cpus; i++) {
		size = data_size(w, i);
		if (!size)
			continue;
		ret = compact_collapse(w->fd, w->cpu[i].offset, to);
		if (ret)
			return ret;
		shift = w->cpu[i].offset - to;
		for (unsigned int j = i; j < w->nr_cpus; j++)
			w->cpu[j].offset -= shift;
		ret = write_tail(w);
		if (ret)
			return ret;
		to += size;
	}
	return 0;
}

/* Each step leaves a file that can be read. */
static int copy_over_holes(struct dat_writer *w, uint64_t to)
{
	uint64_t from, size, first = 0;
	bool gone;
	int ret;

	for (unsigned int i = 0; i < w->nr_cpus && !first; i++)
		if (data_size(w, i))
			first = w->cpu[i].offset;
	ret = first > to ? compact_punch(w->fd, to, first - to) : 0;
	if (ret)
		return ret;
	for (unsigned int i = 0; i < w->nr_cpus; i++) {
		size = data_size(w, i);
		from = w->cpu[i].offset;
		if (!size)
			continue;
		/* Onto itself: no step of that would leave a whole file. */
		if (from < to + size) {
			to = from + size;
			continue;
		}
		ret = compact_copy(w->fd, from, to, size, &gone);
		if (ret)
			return ret;
		w->cpu[i].offset = to;
		ret = write_tail(w);
		if (!ret && !gone)
			ret = compact_punch(w->fd, from, size);
		if (ret)
			return ret;
		to += size;
	}
	return 0;
}

static int take_out_holes(struct dat_writer *w, uint64_t end)
{
	uint64_t to = round_up_to(end, COMPACT_ALIGN);
	int ret;

	to = round_up_to(to, w->page_size);
	ret = collapse_holes(w, to);
	if (ret == -EOPNOTSUPP || ret == -EINVAL || ret == -ENOSYS)
		ret = copy_over_holes(w, to);
	if (ret)
		return ret;
	/* What has nothing lies at the end. */
	for (unsigned int i = 0; i < w->nr_cpus; i++)
		if (data_size(w, i) && w->cpu[i].offset + data_size(w, i) > to)
			to = w->cpu[i].offset + data_size(w, i);
	for (unsigned int i = 0; i < w->nr_cpus; i++)
		if (!data_size(w, i))
			w->cpu[i].offset = to;
	ret = write_tail(w);
	if (!ret && ftruncate(w->fd, to))
		ret = -errno;
	return ret;
}

int dat_finish(struct dat_writer *w, const struct buf *comms,
	       char *const *cpustats)
{
	struct buf tail = { 0 };
	int ret = 0, error;

	if (comms && comms->size <= COMMS_ROOM)
		w->comms = *comms;
	w->cpustats = cpustats;
	w->finished = true;
	/* Without space there is none for a last word about a loss. */
	for (unsigned int i = 0; !dat_unwritten(w) && i < w->nr_cpus; i++) {
		error = tell_last_loss(w, &w->cpu[i]);
		if (!ret)
			ret = error;
	}
	error = write_tail(w);
	if (!ret)
		ret = error;
	add_tail(&tail, w);
	if (!error)
		error = take_out_holes(w, w->tail + tail.size);
	/* With its holes the file is as good, only unwieldy. */
	if (!ret && error)
		ret = error == -EIO ? error : 1;
	buf_free(&tail);
	/* Some file systems only say here that there is no space. */
	if (close(w->fd) && !ret)
		ret = -errno;
	free_writer(w);
	return ret;
}
