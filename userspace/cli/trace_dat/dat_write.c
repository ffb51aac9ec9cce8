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
	bool written;			/* the file has it, as far as it went */
	bool open;			/* may get more */
	uint32_t id;			/* of the sub-buffer */
	size_t end;			/* where in it our data ends */
	size_t size;			/* of our data */
	uint64_t lost;			/* told by this page */
	struct rbmap_cursor cursor;	/* what was counted */
};

struct dat_cpu {
	struct page page;
	unsigned char *piece;		/* of a sub-buffer, to be decoded */
	size_t piece_room;
	uint64_t offset;		/* of the region */
	uint64_t lost;			/* not told yet */
	/* Written by the CPU's thread, read by others. */
	_Atomic uint64_t pages;		/* that are whole in the file */
	_Atomic uint64_t events;
	_Atomic uint64_t unwritten;
	_Atomic uint64_t too_large;
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
	struct buf cmdlines;
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
	buf_add_u32(b, source->page_size);
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

	buf_add_u64(b, w->cmdlines.size);
	buf_add(b, w->cmdlines.data, w->cmdlines.size);
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

size_t dat_cmdlines_room(const struct dat_writer *w)
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
	for (unsigned int i = 0; w->cpu && i < w->nr_cpus; i++) {
		free(w->cpu[i].page.bytes);
		free(w->cpu[i].piece);
	}
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
	w->page_size = source->page_size;
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
static void add_lost(struct dat_cpu *c, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN || c->lost == RBMAP_LOST_UNKNOWN)
		c->lost = lost ? RBMAP_LOST_UNKNOWN : c->lost;
	else
		c->lost += lost;
}

static void set_header(struct dat_writer *w, struct page *p)
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

static int write_page(struct dat_writer *w, struct dat_cpu *c, struct page *p)
{
	uint64_t offset = p->index * w->page_size;

	if (offset + w->page_size > w->region)
		return -EFBIG;
	set_header(w, p);
	return write_at(w->fd, p->bytes, w->page_size, c->offset + offset);
}

static void next_page(struct dat_writer *w, struct page *p, uint64_t ts)
{
	p->index += p->written;
	memset(p->bytes, 0, w->page_size);
	memcpy(p->bytes, &ts, sizeof(ts));
	p->written = false;
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

/* The time up to the end of the page. */
static uint64_t page_time(const struct page *p)
{
	uint64_t ts = p->cursor.ts;

	if (!p->size)
		memcpy(&ts, p->bytes, sizeof(ts));
	return ts;
}

/*
 * Bytes @from up to @to of a sub-buffer, as a sub-buffer of their own, which
 * may be larger than a page of the file.  @ts: the time up to there.
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
 * The time at the offset of a sub-buffer that someone else read to there: what
 * the deltas that follow count from.
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

/* Write the page as far as it goes.  It may get more. */
static int put_page(struct dat_writer *w, struct dat_cpu *c, dat_event_fn *fn,
		    void *data)
{
	struct page *p = &c->page;
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
	/* The file has all pages up to this one. */
	if (c->pages <= p->index)
		c->pages = p->index + 1;
	c->events += nr;
	return 0;
}

/*
 * Events of a sub-buffer that is larger than a page.
 */

static size_t room(const struct dat_writer *w, const struct page *p)
{
	size_t lost = p->lost && p->lost != RBMAP_LOST_UNKNOWN ? STORED_SIZE : 0;

	return p->size + lost < w->page_size - HEAD ?
	       w->page_size - HEAD - lost - p->size : 0;
}

static void append(struct page *p, const void *bytes, size_t size)
{
	memcpy(p->bytes + HEAD + p->size, bytes, size);
	p->size += size;
}

/* Bytes of an event before its payload, and with it. */
static size_t event_head(const struct rbmap_event *ev)
{
	return ev->size && ev->size % 4 == 0 &&
	       ev->size / 4 <= RBMAP_TYPE_LEN_MAX ? 4 : 8;
}

static size_t event_bytes(const struct rbmap_event *ev)
{
	return event_head(ev) + round_up_to(ev->size, 4);
}

/* The first event of a page: the page has its time. */
static void append_first(struct page *p, const struct rbmap_event *ev)
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

/* What is lost so far is told by this page, which is empty. */
static void tell_lost(struct dat_cpu *c)
{
	c->page.lost = c->lost;
	c->lost = 0;
}

/*
 * @raw: the event with the time and the padding before it, which the page has
 * to be the right one for.
 */
static int put_event(struct dat_writer *w, struct dat_cpu *c,
		     const struct rbmap_event *ev, const unsigned char *raw,
		     size_t raw_size, dat_event_fn *fn, void *data)
{
	struct page *p = &c->page;
	int ret = 0;

	if (!c->lost && raw_size <= room(w, p)) {
		append(p, raw, raw_size);
		return 0;
	}
	/* A page with nothing in it yet has told nobody. */
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
	tell_lost(c);
	/* No room for the number beside the event: it goes alone. */
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

/* The bytes behind the last event may hold time that passes. */
static int put_end(struct dat_writer *w, struct dat_cpu *c,
		   const struct rbmap_cursor *cursor, size_t from, size_t end,
		   dat_event_fn *fn, void *data)
{
	struct page *p = &c->page;
	bool fits = !c->lost && p->size && end - from <= room(w, p);
	int ret = 0;

	if (fits)
		append(p, c->piece + HEAD + from, end - from);
	if (p->size)
		ret = put_page(w, c, fn, data);
	else
		add_lost(c, p->lost);
	/* What follows counts from here, whatever the page ends with. */
	if (!ret && !fits)
		next_page(w, p, cursor->ts);
	return ret;
}

/* @ts: the time up to what is new in the sub-buffer. */
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
		/* It was read, and there is no space for it. */
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
	struct page *p = &c->page;
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
	/* A loss in the middle begins a page too: it is told at a start only. */
	if (!follows || c->lost) {
		next_page(w, p, ts);
		tell_lost(c);
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

uint64_t dat_too_large(const struct dat_writer *w)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < w->nr_cpus; i++)
		sum += w->cpu[i].too_large;
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
	if (!c->lost)
		return 0;
	next_page(w, &c->page, page_time(&c->page));
	tell_lost(c);
	return put_page(w, c, NULL, NULL);
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

int dat_finish(struct dat_writer *w, const struct buf *cmdlines,
	       char *const *cpustats)
{
	struct buf tail = { 0 };
	int ret = 0, error;

	if (cmdlines && cmdlines->size <= COMMS_ROOM)
		w->cmdlines = *cmdlines;
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
