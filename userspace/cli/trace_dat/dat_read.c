// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/rbmap.h>

#include "dat.h"
#include "dat_read.h"

#define HEAD		RBMAP_SUBBUF_HEADER_SIZE
#define PAGE_SIZE_MIN	64u
#define PAGE_SIZE_MAX	(4u << 20)
#define NAME_MAX_SIZE	256
#define CPUS_MAX	8192	/* more than any kernel's */

/* The data of a CPU. */
struct dat_cpu {
	uint64_t offset;	/* offset in the file */
	uint64_t size;		/* size in the table */
	uint64_t limit;		/* part of the size that the file contains */
	uint64_t at;		/* offset of the next page */
	unsigned char *page;
	size_t page_bytes;	/* bytes of the page that exist */
	struct rbmap_cursor cursor;
	uint64_t lost;		/* not reported yet */
	struct rbmap_event ev;	/* next event, if the CPU is in the heap */
};

struct dat_reader {
	int fd;
	uint64_t file_size;
	uint64_t at;			/* offset while headers are read */
	uint32_t page_size;
	struct dat_text *format;
	size_t nr_formats;
	char **system;			/* names that formats point to */
	size_t nr_systems;
	struct dat_text kallsyms;
	struct dat_text cmdlines;
	char *clock;
	struct dat_damage damage;
	uint32_t nr_cpus;
	struct dat_cpu *cpu;
	unsigned int *heap;		/* CPUs, the one with the oldest event first */
	unsigned int nr_heap;
	bool started;
};

const char *dat_strerror(int error)
{
	switch (error) {
	case DAT_ERR_NO_RECORDING:
		return "is not a recording (trace.dat) of rbmap or trace-cmd";
	case DAT_ERR_VERSION:
		return "is not a trace.dat of version 6: read it with trace-cmd report";
	case DAT_ERR_FOREIGN:
		return "was recorded on a machine with another byte order or size of long: read it with trace-cmd report";
	case DAT_ERR_CUT:
		return "is truncated before its first event: record again";
	case DAT_ERR_BROKEN:
		return "is damaged: its headers are invalid";
	case DAT_ERR_LATENCY:
		return "contains the text of a latency tracer, not events: read it with trace-cmd report";
	}
	return strerror(-error);
}

static int read_at(struct dat_reader *r, void *data, size_t size,
		   uint64_t offset)
{
	char *p = data;
	ssize_t got;

	while (size) {
		got = pread(r->fd, p, size, offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return DAT_ERR_CUT;
		p += got;
		size -= got;
		offset += got;
	}
	return 0;
}

/* ---- headers, in the order of the file */
static int take(struct dat_reader *r, void *data, uint64_t size)
{
	int ret;

	if (size > r->file_size - r->at)
		return DAT_ERR_CUT;
	ret = read_at(r, data, size, r->at);
	r->at += size;
	return ret;
}

static int take_u16(struct dat_reader *r, uint16_t *value)
{
	return take(r, value, sizeof(*value));
}

static int take_u32(struct dat_reader *r, uint32_t *value)
{
	return take(r, value, sizeof(*value));
}

static int take_u64(struct dat_reader *r, uint64_t *value)
{
	return take(r, value, sizeof(*value));
}

static int take_text(struct dat_reader *r, uint64_t size, struct dat_text *t)
{
	int ret;

	/*
	 * Check the size before memory is allocated: the file can contain any
	 * number.
	 */
	if (size > r->file_size - r->at)
		return DAT_ERR_CUT;
	t->text = malloc(size + 1);
	if (!t->text)
		return -ENOMEM;
	t->size = size;
	t->text[size] = '\0';
	ret = take(r, t->text, size);
	if (ret) {
		free(t->text);
		t->text = NULL;
	}
	return ret;
}

static int take_text_u64(struct dat_reader *r, struct dat_text *t)
{
	uint64_t size;
	int ret = take_u64(r, &size);

	return ret ? ret : take_text(r, size, t);
}

static int take_text_u32(struct dat_reader *r, struct dat_text *t)
{
	uint32_t size;
	int ret = take_u32(r, &size);

	return ret ? ret : take_text(r, size, t);
}

static int skip_text_u32(struct dat_reader *r)
{
	uint32_t size;
	int ret = take_u32(r, &size);

	if (ret)
		return ret;
	if (size > r->file_size - r->at)
		return DAT_ERR_CUT;
	r->at += size;
	return 0;
}

static int take_string(struct dat_reader *r, char *text, size_t room)
{
	size_t left = r->file_size - r->at, n = left < room ? left : room;
	char *end;
	int ret;

	ret = read_at(r, text, n, r->at);
	if (ret)
		return ret;
	end = memchr(text, 0, n);
	if (!end)
		return n < room ? DAT_ERR_CUT : DAT_ERR_BROKEN;
	r->at += end - text + 1;
	return 0;
}

/* Check that a word is here, with its 0. */
static int expect(struct dat_reader *r, const char *word)
{
	size_t size = strlen(word) + 1;
	char found[32];
	int ret = take(r, found, size);

	if (ret)
		return ret;
	return memcmp(found, word, size) ? DAT_ERR_BROKEN : 0;
}

static int read_magic(struct dat_reader *r)
{
	static const char magic[] = DAT_MAGIC;
	char found[DAT_MAGIC_SIZE], version[16];
	size_t n = r->file_size < sizeof(found) ? r->file_size : sizeof(found);
	unsigned char kind[2];
	int ret;

	ret = take(r, found, n);
	if (ret)
		return ret;
	if (!n || memcmp(found, magic, n))
		return DAT_ERR_NO_RECORDING;
	if (n < sizeof(found))
		return DAT_ERR_CUT;
	ret = take_string(r, version, sizeof(version));
	if (ret)
		return ret;
	if (strcmp(version, DAT_VERSION))
		return DAT_ERR_VERSION;
	ret = take(r, kind, sizeof(kind));
	if (ret)
		return ret;
	if (kind[0] != (__BYTE_ORDER == __BIG_ENDIAN) ||
	    kind[1] != sizeof(long))
		return DAT_ERR_FOREIGN;
	ret = take_u32(r, &r->page_size);
	if (ret)
		return ret;
	if (r->page_size < PAGE_SIZE_MIN || r->page_size > PAGE_SIZE_MAX)
		return DAT_ERR_BROKEN;
	return 0;
}

/* The sub-buffers of a 32-bit kernel have a shorter header. */
static bool known_header(const char *header_page)
{
	const char *commit = strstr(header_page, " commit;");
	unsigned int offset, size;

	return commit && sscanf(commit, " commit; offset:%u; size:%u;",
				&offset, &size) == 2 &&
	       offset == 8 && size == sizeof(long);
}

static int read_page_formats(struct dat_reader *r)
{
	struct dat_text t = { 0 };
	bool known;
	int ret;

	ret = expect(r, DAT_HEADER_PAGE);
	if (!ret)
		ret = take_text_u64(r, &t);
	if (ret)
		return ret;
	known = known_header(t.text);
	free(t.text);
	if (!known)
		return DAT_ERR_FOREIGN;
	ret = expect(r, DAT_HEADER_EVENT);
	if (!ret)
		ret = take_text_u64(r, &t);
	if (!ret)
		free(t.text);
	return ret;
}

static int add_format(struct dat_reader *r, const char *system)
{
	struct dat_text t = { .system = system }, *more;
	int ret = take_text_u64(r, &t);

	if (ret)
		return ret;
	if (!(r->nr_formats & (r->nr_formats - 1))) {
		size_t nr = r->nr_formats ? 2 * r->nr_formats : 1;

		more = realloc(r->format, nr * sizeof(*more));
		if (!more) {
			free(t.text);
			return -ENOMEM;
		}
		r->format = more;
	}
	r->format[r->nr_formats++] = t;
	return 0;
}

static int read_system(struct dat_reader *r)
{
	char name[NAME_MAX_SIZE], **more;
	uint32_t nr;
	int ret;

	ret = take_string(r, name, sizeof(name));
	if (!ret)
		ret = take_u32(r, &nr);
	if (ret)
		return ret;
	if (!(r->nr_systems & (r->nr_systems - 1))) {
		size_t n = r->nr_systems ? 2 * r->nr_systems : 1;

		more = realloc(r->system, n * sizeof(*more));
		if (!more)
			return -ENOMEM;
		r->system = more;
	}
	r->system[r->nr_systems] = strdup(name);
	if (!r->system[r->nr_systems])
		return -ENOMEM;
	r->nr_systems++;
	while (nr-- && !ret)
		ret = add_format(r, r->system[r->nr_systems - 1]);
	return ret;
}

static int read_formats(struct dat_reader *r)
{
	uint32_t nr;
	int ret;

	ret = take_u32(r, &nr);
	while (!ret && nr--)
		ret = add_format(r, "ftrace");
	if (!ret)
		ret = take_u32(r, &nr);
	while (!ret && nr--)
		ret = read_system(r);
	return ret;
}

static void set_clock(struct dat_reader *r, const char *clocks)
{
	const char *start = strchr(clocks, '[');
	const char *end = start ? strchr(start, ']') : NULL;

	if (!end || r->clock)
		return;
	r->clock = strndup(start + 1, end - start - 1);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static int read_options(struct dat_reader *r)
{
	struct dat_text t;
	uint16_t option;
	int ret;

	for (;;) {
		ret = take_u16(r, &option);
		if (ret || option == DAT_OPTION_DONE)
			return ret;
		ret = take_text_u32(r, &t);
		if (ret)
			return ret;
		if (option == DAT_OPTION_TRACECLOCK)
			set_clock(r, t.text);
		else if (option == DAT_OPTION_VERSION)
			r->damage.unfinished = ends_with(t.text,
							 DAT_UNFINISHED);
		free(t.text);
	}
}

static int read_table(struct dat_reader *r)
{
	char word[DAT_WORD_SIZE];
	int ret;

	ret = take(r, word, sizeof(word));
	if (!ret && !memcmp(word, DAT_OPTIONS, sizeof(word))) {
		ret = read_options(r);
		if (!ret)
			ret = take(r, word, sizeof(word));
	}
	if (ret)
		return ret;
	if (!memcmp(word, DAT_LATENCY, sizeof(word)))
		return DAT_ERR_LATENCY;
	if (memcmp(word, DAT_FLYRECORD, sizeof(word)))
		return DAT_ERR_BROKEN;

	if (r->nr_cpus > CPUS_MAX)
		return DAT_ERR_BROKEN;
	if (r->nr_cpus > (r->file_size - r->at) / 16)
		return DAT_ERR_CUT;
	r->cpu = calloc(r->nr_cpus + 1, sizeof(*r->cpu));
	r->heap = calloc(r->nr_cpus + 1, sizeof(*r->heap));
	if (!r->cpu || !r->heap)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->nr_cpus && !ret; i++) {
		ret = take_u64(r, &r->cpu[i].offset);
		if (!ret)
			ret = take_u64(r, &r->cpu[i].size);
	}
	return ret;
}

static int read_headers(struct dat_reader *r)
{
	int ret;

	ret = read_magic(r);
	if (!ret)
		ret = read_page_formats(r);
	if (!ret)
		ret = read_formats(r);
	if (!ret)
		ret = take_text_u32(r, &r->kallsyms);
	if (!ret)
		ret = skip_text_u32(r);		/* printk formats */
	if (!ret)
		ret = take_text_u64(r, &r->cmdlines);
	if (!ret)
		ret = take_u32(r, &r->nr_cpus);
	if (!ret)
		ret = read_table(r);
	return ret;
}

/*
 * Return the end of the region of an unfinished CPU: where the next region
 * begins.
 */
static uint64_t region_end(const struct dat_reader *r, uint64_t offset)
{
	uint64_t end = r->file_size;

	for (uint32_t i = 0; i < r->nr_cpus; i++)
		if (r->cpu[i].offset > offset && r->cpu[i].offset < end)
			end = r->cpu[i].offset;
	return end;
}

static int set_limits(struct dat_reader *r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->nr_cpus; i++) {
		struct dat_cpu *c = &r->cpu[i];
		uint64_t left = c->offset < r->file_size ?
				r->file_size - c->offset : 0;

		if (r->damage.unfinished && left)
			c->limit = region_end(r, c->offset) - c->offset;
		else
			c->limit = left < c->size ? left : c->size;
		if (c->limit < c->size)
			r->damage.missing += c->size - c->limit;
		sum += c->limit;
	}
	/* The regions of several CPUs overlap. */
	return sum > r->file_size ? DAT_ERR_BROKEN : 0;
}

int dat_open(struct dat_reader **reader, const char *path)
{
	struct dat_reader *r = calloc(1, sizeof(*r));
	struct stat st;
	int ret;

	if (!r)
		return -ENOMEM;
	/* O_NONBLOCK: do not wait for the writer of a FIFO. */
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (r->fd < 0 || fstat(r->fd, &st))
		ret = -errno;
	else if (S_ISDIR(st.st_mode))
		ret = -EISDIR;
	else if (!S_ISREG(st.st_mode))
		ret = DAT_ERR_NO_RECORDING;
	else {
		r->file_size = st.st_size;
		ret = read_headers(r);
		if (!ret)
			ret = set_limits(r);
	}
	if (ret) {
		dat_close(r);
		return ret;
	}
	*reader = r;
	return 0;
}

void dat_close(struct dat_reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	for (size_t i = 0; i < r->nr_formats; i++)
		free(r->format[i].text);
	for (size_t i = 0; i < r->nr_systems; i++)
		free(r->system[i]);
	for (uint32_t i = 0; r->cpu && i < r->nr_cpus; i++)
		free(r->cpu[i].page);
	free(r->format);
	free(r->system);
	free(r->kallsyms.text);
	free(r->cmdlines.text);
	free(r->clock);
	free(r->cpu);
	free(r->heap);
	free(r);
}

size_t dat_formats(const struct dat_reader *r, const struct dat_text **formats)
{
	*formats = r->format;
	return r->nr_formats;
}

const struct dat_text *dat_kallsyms(const struct dat_reader *r)
{
	return &r->kallsyms;
}

const struct dat_text *dat_cmdlines(const struct dat_reader *r)
{
	return &r->cmdlines;
}

const char *dat_clock(const struct dat_reader *r)
{
	return r->clock;
}

unsigned int dat_cpus(const struct dat_reader *r)
{
	return r->nr_cpus;
}

void dat_damage(const struct dat_reader *r, struct dat_damage *damage)
{
	*damage = r->damage;
}

double dat_done(const struct dat_reader *r)
{
	double at = 0, limit = 0;

	for (unsigned int i = 0; i < r->nr_cpus; i++) {
		at += r->cpu[i].at;
		limit += r->cpu[i].limit;
	}
	return limit ? at / limit : 1;
}

uint64_t dat_lost_last(const struct dat_reader *r, unsigned int cpu)
{
	return r->cpu[cpu].lost;
}

/* ---- pages and events */
static void add_lost(struct dat_cpu *c, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN || c->lost == RBMAP_LOST_UNKNOWN)
		c->lost = lost ? RBMAP_LOST_UNKNOWN : c->lost;
	else if (lost > RBMAP_LOST_UNKNOWN - 1 - c->lost)
		c->lost = RBMAP_LOST_UNKNOWN;
	else
		c->lost += lost;
}

/*
 * The last page of a truncated file is shorter than its header says. Correct
 * the header, so that the events in the page can be decoded.
 */
static void trim_page(struct dat_cpu *c)
{
	struct rbmap_subbuf_header header;
	size_t room = c->page_bytes - HEAD;

	memcpy(&header, c->page, sizeof(header));
	if ((header.commit & RBMAP_COMMIT_MASK) > room && !(header.commit >> 32)) {
		header.commit &= RBMAP_MISSED_EVENTS;
		header.commit |= room & ~(size_t)3;
		memcpy(c->page, &header, sizeof(header));
	}
}

static bool is_empty(const struct dat_cpu *c)
{
	static const unsigned char zeros[HEAD];

	return !memcmp(c->page, zeros, HEAD);
}

/* Return 1 if the next page was read, 0 at the end. */
static int next_page(struct dat_reader *r, struct dat_cpu *c)
{
	uint64_t left = c->limit - c->at;
	int ret;

	if (left < HEAD)
		return 0;
	if (!c->page) {
		c->page = malloc(r->page_size);
		if (!c->page)
			return -ENOMEM;
	}
	c->page_bytes = left < r->page_size ? left : r->page_size;
	ret = read_at(r, c->page, c->page_bytes, c->offset + c->at);
	if (ret == DAT_ERR_CUT) {
		/* The file became shorter while it was read. */
		r->damage.missing += left;
		c->at = c->limit;
		return 0;
	}
	if (ret)
		return ret;
	if (r->damage.unfinished && is_empty(c)) {
		c->at = c->limit;
		return 0;
	}
	c->at += c->page_bytes;
	c->cursor = (struct rbmap_cursor){ 0 };
	if (c->page_bytes < r->page_size)
		trim_page(c);
	add_lost(c, rbmap_decode_lost(c->page, c->page_bytes));
	return 1;
}

/* Return 1 if c->ev is the next event of this CPU, 0 at the end. */
static int next_event(struct dat_reader *r, unsigned int cpu)
{
	struct dat_cpu *c = &r->cpu[cpu];
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
