// SPDX-License-Identifier: LGPL-2.1-only
/* The headers of a recording. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "dat.h"
#include "dat_reader.h"

#define PAGE_SIZE_MIN	64u
#define PAGE_SIZE_MAX	(4u << 20)
#define NAME_MAX_SIZE	256
#define CLOCKS_MAX	4096	/* contents of trace_clock */

int dat_read_at(int fd, void *data, size_t size, uint64_t offset)
{
	char *p = data;
	ssize_t got;

	while (size) {
		got = pread(fd, p, size, offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return RBMAP_ERR_CUT;
		p += got;
		size -= got;
		offset += got;
	}
	return 0;
}

/* Read the next bytes without going on. */
static int look(struct rbmap_recording *r, void *data, size_t size)
{
	if (!r->section)
		return dat_read_at(r->fd, data, size, r->at);
	memcpy(data, r->section + r->at, size);
	return 0;
}

int dat_take(struct rbmap_recording *r, void *data, uint64_t size)
{
	int ret;

	if (size > r->end - r->at)
		return RBMAP_ERR_CUT;
	ret = look(r, data, size);
	r->at += size;
	return ret;
}

int dat_take_u16(struct rbmap_recording *r, uint16_t *value)
{
	return dat_take(r, value, sizeof(*value));
}

int dat_take_u32(struct rbmap_recording *r, uint32_t *value)
{
	return dat_take(r, value, sizeof(*value));
}

int dat_take_u64(struct rbmap_recording *r, uint64_t *value)
{
	return dat_take(r, value, sizeof(*value));
}

static int take_text(struct rbmap_recording *r, uint64_t size, struct dat_text *t)
{
	int ret;

	/*
	 * Check the size before memory is allocated: the file can contain any
	 * number.
	 */
	if (size > r->end - r->at)
		return RBMAP_ERR_CUT;
	ret = dat_limit_headers(&r->limits, size);
	if (ret)
		return ret;
	t->text = malloc(size + 1);
	if (!t->text)
		return -ENOMEM;
	t->size = size;
	t->text[size] = '\0';
	ret = dat_take(r, t->text, size);
	if (ret) {
		free(t->text);
		t->text = NULL;
	}
	return ret;
}

static int take_text_u64(struct rbmap_recording *r, struct dat_text *t)
{
	uint64_t size;
	int ret = dat_take_u64(r, &size);

	return ret ? ret : take_text(r, size, t);
}

int dat_take_text_u32(struct rbmap_recording *r, struct dat_text *t)
{
	uint32_t size;
	int ret = dat_take_u32(r, &size);

	return ret ? ret : take_text(r, size, t);
}

static int skip_text_u32(struct rbmap_recording *r, struct dat_text *t)
{
	uint32_t size;
	int ret = dat_take_u32(r, &size);

	if (!ret && size > r->end - r->at)
		ret = RBMAP_ERR_CUT;
	if (ret)
		return ret;
	t->size = size;
	r->at += size;
	return 0;
}

int dat_take_string(struct rbmap_recording *r, char *text, size_t room)
{
	size_t left = r->end - r->at, n = left < room ? left : room;
	char *end;
	int ret;

	ret = look(r, text, n);
	if (ret)
		return ret;
	end = memchr(text, 0, n);
	if (!end)
		return n < room ? RBMAP_ERR_CUT : RBMAP_ERR_BROKEN;
	r->at += end - text + 1;
	return 0;
}

/* Check that a word is here, with its 0. */
static int expect(struct rbmap_recording *r, const char *word)
{
	size_t size = strlen(word) + 1;
	char found[32];
	int ret = dat_take(r, found, size);

	if (ret)
		return ret;
	return memcmp(found, word, size) ? RBMAP_ERR_BROKEN : 0;
}

int dat_check_page_size(uint32_t page_size)
{
	return page_size < PAGE_SIZE_MIN || page_size > PAGE_SIZE_MAX ? RBMAP_ERR_BROKEN : 0;
}

static bool is_compressed(const char *begin, size_t size)
{
	static const struct {
		const char *magic;
		size_t size;
	} kinds[] = {
		{ "\x1f\x8b", 2 }, { "\xfd" "7zXZ\0", 6 }, { "\x28\xb5\x2f\xfd", 4 }, { "BZh", 3 },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (size >= kinds[i].size && !memcmp(begin, kinds[i].magic, kinds[i].size))
			return true;
	return false;
}

static int read_magic(struct rbmap_recording *r)
{
	static const char magic[] = DAT_MAGIC;
	char found[DAT_MAGIC_SIZE], version[16];
	size_t n = r->end < sizeof(found) ? r->end : sizeof(found);
	unsigned char kind[2];
	int ret;

	ret = dat_take(r, found, n);
	if (ret)
		return ret;
	if (!n || memcmp(found, magic, n))
		return is_compressed(found, n) ? RBMAP_ERR_COMPRESSED : RBMAP_ERR_NO_RECORDING;
	if (n < sizeof(found))
		return RBMAP_ERR_CUT;
	ret = dat_take_string(r, version, sizeof(version));
	if (ret)
		return ret;
	r->sections = !strcmp(version, DAT_VERSION_SECTIONS);
	if (!r->sections && strcmp(version, DAT_VERSION))
		return RBMAP_ERR_DAT_VERSION;
	ret = dat_take(r, kind, sizeof(kind));
	if (ret)
		return ret;
	if (kind[0] != (__BYTE_ORDER == __BIG_ENDIAN) ||
	    (kind[1] != 4 && kind[1] != 8))
		return RBMAP_ERR_FOREIGN;
	r->long_size = kind[1];
	ret = dat_take_u32(r, &r->page_size);
	if (ret)
		return ret;
	return dat_check_page_size(r->page_size);
}

/*
 * The sub-buffers of a 32-bit kernel have a shorter header, unless numbers of 64 bits have
 * to be aligned.  The file's own word is the size of a long of trace-cmd, which may be a
 * 32-bit program of a 64-bit kernel.
 */
static bool known_header(struct rbmap_recording *r, const char *header_page)
{
	const char *commit = strstr(header_page, " commit;");
	const char *data = strstr(header_page, " data;");
	unsigned int offset, size, head;

	if (!commit || !data || sscanf(commit, " commit; offset:%u; size:%u;",
				       &offset, &size) != 2 ||
	    sscanf(data, " data; offset:%u;", &head) != 1 || offset != 8 ||
	    (size != 4 && size != 8) || (head != HEAD && head != offset + size))
		return false;
	r->long_size = size;
	r->head = head;
	return true;
}

static int read_page_formats(struct rbmap_recording *r)
{
	struct dat_text t = { 0 };
	bool known;
	int ret;

	ret = expect(r, DAT_HEADER_PAGE);
	if (!ret)
		ret = take_text_u64(r, &t);
	if (ret)
		return ret;
	known = known_header(r, t.text);
	free(t.text);
	if (!known)
		return RBMAP_ERR_FOREIGN;
	ret = expect(r, DAT_HEADER_EVENT);
	if (!ret)
		ret = take_text_u64(r, &t);
	if (!ret)
		free(t.text);
	return ret;
}

static int add_format(struct rbmap_recording *r, const char *system)
{
	struct dat_text t = { .system = system };
	int ret = r->nr_formats < DAT_FORMATS_MAX ? take_text_u64(r, &t) : RBMAP_ERR_BROKEN;

	if (ret)
		return ret;
	if (!array_grow(r->format, r->nr_formats)) {
		free(t.text);
		return -ENOMEM;
	}
	r->format[r->nr_formats++] = t;
	return 0;
}

static int read_system(struct rbmap_recording *r)
{
	char name[NAME_MAX_SIZE];
	uint32_t nr;
	int ret;

	ret = r->nr_systems < DAT_FORMATS_MAX ? dat_take_string(r, name, sizeof(name)) :
						RBMAP_ERR_BROKEN;
	if (!ret)
		ret = dat_take_u32(r, &nr);
	if (ret)
		return ret;
	if (!array_grow(r->system, r->nr_systems))
		return -ENOMEM;
	r->system[r->nr_systems] = strdup(name);
	if (!r->system[r->nr_systems])
		return -ENOMEM;
	r->nr_systems++;
	while (nr-- && !ret)
		ret = add_format(r, r->system[r->nr_systems - 1]);
	return ret;
}

static int read_ftrace_formats(struct rbmap_recording *r)
{
	uint32_t nr;
	int ret;

	ret = dat_take_u32(r, &nr);
	while (!ret && nr--)
		ret = add_format(r, "ftrace");
	return ret;
}

static int read_event_formats(struct rbmap_recording *r)
{
	uint32_t nr;
	int ret;

	ret = dat_take_u32(r, &nr);
	while (!ret && nr--)
		ret = read_system(r);
	return ret;
}

void dat_set_clock(struct rbmap_recording *r, const char *clocks)
{
	const char *start = strchr(clocks, '[');
	const char *end = start ? strchr(start, ']') : NULL;

	if (!end || r->clock)
		return;
	r->clock = strndup(start + 1, end - start - 1);
}

void dat_set_uname(struct rbmap_recording *r, const char *uname)
{
	if (!r->uname)
		r->uname = strdup(uname);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static void see_version(struct rbmap_recording *r, const char *version)
{
	if (!ends_with(version, DAT_UNFINISHED))
		return;
	r->damage.unfinished = true;
	/* The option ends with the text and its 0. */
	r->unfinished = r->at - sizeof(DAT_UNFINISHED);
}

/* A buffer beside the top buffer, which has its own table of CPUs. */
struct named_buffer {
	char *name;
	uint64_t offset;	/* where its table is, with the word before it */
	uint32_t nr_cpus;	/* 0: as many as the top buffer has */
};

/* The options that are needed after all have been read */
struct options {
	struct named_buffer *buffer;
	size_t nr_buffers;
	bool has_clock;
};

static void free_options(struct options *o)
{
	for (size_t i = 0; i < o->nr_buffers; i++)
		free(o->buffer[i].name);
	free(o->buffer);
}

/* The option has the offset of the buffer's table, and the name. */
static int add_named_buffer(struct options *o, const struct dat_text *t)
{
	struct named_buffer b = { 0 };

	if (t->size <= sizeof(b.offset))
		return RBMAP_ERR_BROKEN;
	memcpy(&b.offset, t->text, sizeof(b.offset));
	if (!array_grow(o->buffer, o->nr_buffers))
		return -ENOMEM;
	b.name = strdup(t->text + sizeof(b.offset));
	if (!b.name)
		return -ENOMEM;
	o->buffer[o->nr_buffers++] = b;
	return 0;
}

/* The memory for tasks is a multiple of the text, so only one text counts, and no long one. */
static int take_cgroups(struct rbmap_recording *r, const char *text)
{
	int ret;

	if (r->cgroups || strlen(text) > CGROUPS_MAX)
		return 0;
	r->cgroups = dat_cgroups_new();
	if (!r->cgroups)
		return -ENOMEM;
	ret = dat_cgroups_parse(r->cgroups, text);
	if (ret <= 0) {
		dat_cgroups_free(r->cgroups);
		r->cgroups = NULL;
	}
	return ret < 0 ? ret : 0;
}

static int take_devices(struct rbmap_recording *r, const char *text)
{
	int ret;

	if (r->devices)
		return 0;
	r->devices = dat_devices_new();
	if (!r->devices)
		return -ENOMEM;
	ret = dat_devices_parse(r->devices, text);
	if (ret <= 0) {
		dat_devices_free(r->devices);
		r->devices = NULL;
	}
	return ret < 0 ? ret : 0;
}

static int take_hosts(struct rbmap_recording *r, const char *text)
{
	int ret = r->hosts ? 0 : dat_hosts_parse(&r->hosts, text);

	return ret < 0 ? ret : 0;
}

int dat_take_stat(struct rbmap_recording *r, struct dat_times *times, const char *text)
{
	int ret = take_cgroups(r, text);

	if (!ret)
		ret = take_devices(r, text);
	if (!ret)
		ret = take_hosts(r, text);
	dat_times_parse(times, text);
	return ret ? ret : dat_missed_parse(r, text);
}

static int see_option(struct rbmap_recording *r, struct options *o, uint16_t option,
		      const struct dat_text *t)
{
	switch (option) {
	case DAT_OPTION_TRACECLOCK:
		dat_set_clock(r, t->text);
		o->has_clock = true;
		return 0;
	case DAT_OPTION_UNAME:
		dat_set_uname(r, t->text);
		return 0;
	case DAT_OPTION_VERSION:
		see_version(r, t->text);
		return 0;
	case DAT_OPTION_CPUSTAT:
		return dat_take_stat(r, &r->times, t->text);
	case DAT_OPTION_BUFFER:
		return add_named_buffer(o, t);
	case DAT_OPTION_CPUCOUNT:
		/* It belongs to the buffer before it. */
		if (o->nr_buffers && t->size == sizeof(uint32_t))
			memcpy(&o->buffer[o->nr_buffers - 1].nr_cpus, t->text, t->size);
		return 0;
	default:
		return dat_correction_add(&r->correction, option, t);
	}
}

static int read_options(struct rbmap_recording *r, struct options *o)
{
	struct dat_text t;
	uint16_t option;
	int ret;

	r->options = r->at;
	for (;;) {
		r->options_end = r->at;
		ret = dat_take_u16(r, &option);
		if (ret || option == DAT_OPTION_DONE)
			return ret;
		ret = dat_take_text_u32(r, &t);
		if (ret)
			return ret;
		ret = see_option(r, o, option, &t);
		free(t.text);
		if (ret)
			return ret;
	}
}

/* Read the table of a buffer's CPUs. */
static int read_table(struct rbmap_recording *r, const char *name, uint32_t nr_cpus)
{
	struct dat_cpu_reader *cpu;
	int ret;

	if (nr_cpus <= DAT_CPUS_MAX && nr_cpus > (r->end - r->at) / 16)
		return RBMAP_ERR_CUT;
	ret = dat_add_buffer(r, name, nr_cpus, r->page_size, &cpu);
	for (uint32_t i = 0; i < nr_cpus && !ret; i++) {
		ret = dat_take_u64(r, &cpu[i].offset);
		if (!ret)
			ret = dat_take_u64(r, &cpu[i].size);
	}
	return ret;
}

/* trace-cmd wrote the clock behind the table, before its option had a text. */
static int read_clock(struct rbmap_recording *r)
{
	struct dat_text t = { 0 };
	uint64_t size;
	int ret = dat_take_u64(r, &size);

	if (ret || size > CLOCKS_MAX)
		return 0;
	ret = take_text(r, size, &t);
	if (!ret)
		dat_set_clock(r, t.text);
	free(t.text);
	return ret == -ENOMEM ? ret : 0;
}

static int read_named_buffer(struct rbmap_recording *r, const struct named_buffer *b,
			     uint32_t nr_cpus)
{
	char word[DAT_WORD_SIZE];
	int ret;

	/* The recorder did not come to this buffer. */
	if (!b->offset)
		return 0;
	if (b->offset > r->end)
		return RBMAP_ERR_CUT;
	r->at = b->offset;
	ret = dat_take(r, word, sizeof(word));
	if (ret)
		return ret;
	if (memcmp(word, DAT_FLYRECORD, sizeof(word)))
		return RBMAP_ERR_BROKEN;
	/* With fewer CPUs than the top buffer, the table has that number. */
	return read_table(r, b->name, b->nr_cpus > nr_cpus ? b->nr_cpus : nr_cpus);
}

static int read_tables(struct rbmap_recording *r, struct options *o, uint32_t nr_cpus)
{
	char word[DAT_WORD_SIZE];
	int ret;

	ret = dat_take(r, word, sizeof(word));
	if (!ret && !memcmp(word, DAT_OPTIONS, sizeof(word))) {
		ret = read_options(r, o);
		if (!ret)
			ret = dat_take(r, word, sizeof(word));
	}
	if (ret)
		return ret;
	if (!memcmp(word, DAT_LATENCY, sizeof(word)))
		return RBMAP_ERR_LATENCY;
	if (memcmp(word, DAT_FLYRECORD, sizeof(word)))
		return RBMAP_ERR_BROKEN;
	r->table = r->at;
	ret = read_table(r, "", nr_cpus);
	if (!ret && o->has_clock && !r->clock)
		ret = read_clock(r);
	for (size_t i = 0; i < o->nr_buffers && !ret; i++)
		ret = read_named_buffer(r, &o->buffer[i], nr_cpus);
	return ret;
}

int dat_read_part(struct rbmap_recording *r, int option)
{
	switch (option) {
	case DAT_OPTION_HEADER_INFO:
		return read_page_formats(r);
	case DAT_OPTION_FTRACE_EVENTS:
		return read_ftrace_formats(r);
	case DAT_OPTION_EVENT_FORMATS:
		return read_event_formats(r);
	case DAT_OPTION_KALLSYMS:
		return r->skips_symbols ? skip_text_u32(r, &r->kallsyms) :
					  dat_take_text_u32(r, &r->kallsyms);
	case DAT_OPTION_PRINTK:
		return dat_take_text_u32(r, &r->printk);
	case DAT_OPTION_CMDLINES:
		return take_text_u64(r, &r->cmdlines);
	}
	return RBMAP_ERR_BROKEN;
}

/* Version 6: the parts follow each other. */
static int read_parts(struct rbmap_recording *r)
{
	struct options o = { 0 };
	uint32_t nr_cpus;
	int ret = 0;

	for (int i = 0; i < DAT_NR_PARTS && !ret; i++) {
		r->part[i] = r->at;
		ret = dat_read_part(r, DAT_OPTION_HEADER_INFO + i);
	}
	r->part[DAT_NR_PARTS] = r->at;
	if (!ret)
		ret = dat_take_u32(r, &nr_cpus);
	if (!ret)
		ret = read_tables(r, &o, nr_cpus);
	free_options(&o);
	return ret;
}

int dat_read_headers(struct rbmap_recording *r)
{
	int ret = read_magic(r);

	if (ret)
		return ret;
	return r->sections ? dat_read_sections(r) : read_parts(r);
}
