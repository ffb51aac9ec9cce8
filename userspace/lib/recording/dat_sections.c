// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The headers of version 7. Sections may come in any order; the options have their
 * offsets. The reader reads all options first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dat.h"
#include "dat_reader.h"

#define OPTION_SECTIONS_MAX	1024
#define NAME_SIZE		256

struct section_head {
	uint16_t id;
	uint16_t flags;
	uint32_t description;
	uint64_t size;
};

_Static_assert(sizeof(struct section_head) == 16, "as in the file");

/* The contents of the options that the reader needs. */
struct options {
	uint64_t offset[DAT_OPTION_CMDLINES + 1];	/* a section's place, by option; or 0 */
	char *clocks;		/* contents of trace_clock */
	char *uname;
	uint32_t nr_cpus;
	struct dat_times times;
	bool latency;		/* a buffer is the text of a latency tracer */
	struct dat_text *buffer;	/* options of buffers, the top one first */
	size_t nr_buffers;
	bool has_top;
};

/* Read headers from the file again. */
static void leave_section(struct rbmap_recording *r)
{
	free(r->section);
	r->section = NULL;
	r->end = r->file_size;
}

/* Uncompress the section, from which the next headers are then read. */
static int uncompress_section(struct rbmap_recording *r)
{
	uint32_t packed_size, size;
	char *packed, *section;
	int ret;

	ret = dat_take_u32(r, &packed_size);
	if (!ret)
		ret = dat_take_u32(r, &size);
	if (ret)
		return ret;
	if (packed_size > r->end - r->at)
		return RBMAP_ERR_CUT;
	ret = dat_limit_headers(&r->limits, size);
	if (!ret)
		ret = dat_limit_headers(&r->limits, packed_size);
	if (ret)
		return ret;
	packed = malloc(packed_size + 1);
	section = malloc((size_t)size + 1);
	ret = packed && section ? dat_take(r, packed, packed_size) : -ENOMEM;
	if (!ret)
		ret = dat_uncompress(section, size, packed, packed_size);
	free(packed);
	if (ret) {
		free(section);
		return ret;
	}
	r->section = section;
	r->at = 0;
	r->end = size;
	return 0;
}

static int read_head(struct rbmap_recording *r, uint64_t offset, uint16_t id,
		     struct section_head *head)
{
	int ret;

	leave_section(r);
	if (offset > r->file_size)
		return RBMAP_ERR_CUT;
	r->at = offset;
	ret = dat_take(r, head, sizeof(*head));
	if (ret)
		return ret;
	return head->id == id ? 0 : RBMAP_ERR_BROKEN;
}

/* Read the next headers from a section. */
static int enter_section(struct rbmap_recording *r, uint64_t offset, uint16_t id)
{
	struct section_head head;
	int ret = read_head(r, offset, id, &head);

	if (ret)
		return ret;
	if (head.size > r->end - r->at)
		return RBMAP_ERR_CUT;
	r->end = r->at + head.size;
	/* Options that lead in a circle are read only so often. */
	ret = dat_limit_headers(&r->limits, sizeof(head));
	if (ret)
		return ret;
	if (!(head.flags & DAT_SECTION_COMPRESSED))
		return 0;
	return r->compressed ? uncompress_section(r) : RBMAP_ERR_BROKEN;
}

static bool get_u64(const struct dat_text *t, size_t at, uint64_t *value)
{
	if (at > t->size || t->size - at < sizeof(*value))
		return false;
	memcpy(value, t->text + at, sizeof(*value));
	return true;
}

static bool get_u32(const struct dat_text *t, size_t at, uint32_t *value)
{
	if (at > t->size || t->size - at < sizeof(*value))
		return false;
	memcpy(value, t->text + at, sizeof(*value));
	return true;
}

/* Keep the option of a buffer. Return 1, 0: there are two top buffers, or an error. */
static int keep_buffer(struct options *o, const struct dat_text *t)
{
	bool is_top = t->size > 8 && !t->text[8];

	if (is_top && o->has_top)
		return 0;
	if (!array_grow(o->buffer, o->nr_buffers))
		return -ENOMEM;
	o->buffer[o->nr_buffers++] = *t;
	if (is_top) {
		o->has_top = true;
		memmove(o->buffer + 1, o->buffer, (o->nr_buffers - 1) * sizeof(*o->buffer));
		o->buffer[0] = *t;
	}
	return 1;
}

/* Return 1 if @t->text belongs to @o now. */
static int keep_option(struct rbmap_recording *r, void *data, uint16_t option, struct dat_text *t)
{
	struct options *o = data;

	switch (option) {
	case DAT_OPTION_BUFFER:
		return keep_buffer(o, t);
	case DAT_OPTION_BUFFER_TEXT:
		o->latency = true;
		return 0;
	case DAT_OPTION_TRACECLOCK:
		free(o->clocks);
		o->clocks = t->text;
		return 1;
	case DAT_OPTION_UNAME:
		free(o->uname);
		o->uname = t->text;
		return 1;
	case DAT_OPTION_CPUSTAT:
		return dat_take_stat(r, &o->times, t->text);
	case DAT_OPTION_CPUCOUNT:
		return get_u32(t, 0, &o->nr_cpus) ? 0 : RBMAP_ERR_BROKEN;
	case DAT_OPTION_HEADER_INFO:
	case DAT_OPTION_FTRACE_EVENTS:
	case DAT_OPTION_EVENT_FORMATS:
	case DAT_OPTION_KALLSYMS:
	case DAT_OPTION_PRINTK:
	case DAT_OPTION_CMDLINES:
		return get_u64(t, 0, &o->offset[option]) ? 0 : RBMAP_ERR_BROKEN;
	}
	return dat_correction_add(&r->correction, option, t);
}

/* Pass the options of a section to @each. Store the offset of the next such section, or 0. */
static int read_options(struct rbmap_recording *r, dat_option_fn *each, void *data, uint64_t *next)
{
	struct dat_text t;
	uint16_t option;
	int ret;

	for (;;) {
		ret = dat_take_u16(r, &option);
		if (!ret)
			ret = dat_take_text_u32(r, &t);
		if (ret)
			return ret;
		if (option == DAT_OPTION_DONE)
			ret = get_u64(&t, 0, next) ? 0 : RBMAP_ERR_BROKEN;
		else
			ret = each(r, data, option, &t);
		if (ret != 1)
			free(t.text);
		if (ret < 0 || option == DAT_OPTION_DONE)
			return ret;
	}
}

int dat_section_options(struct rbmap_recording *r, dat_option_fn *each, void *data)
{
	uint64_t offset = r->options;
	int ret = 0;

	for (unsigned int i = 0; offset && !ret; i++) {
		/* The offsets of a damaged file can lead in a circle. */
		if (i == OPTION_SECTIONS_MAX)
			return RBMAP_ERR_BROKEN;
		ret = enter_section(r, offset, DAT_SECTION_OPTIONS);
		if (!ret)
			ret = read_options(r, each, data, &offset);
	}
	return ret;
}

int dat_section_text(struct rbmap_recording *r, int id, struct dat_text *t)
{
	uint64_t offset = r->part[id - DAT_OPTION_HEADER_INFO], size;
	int ret;

	*t = (struct dat_text){ 0 };
	if (!offset)
		return 0;
	ret = enter_section(r, offset, id);
	if (ret)
		return ret;
	size = r->end - r->at;
	t->text = malloc(size + 1);
	ret = t->text ? dat_take(r, t->text, size) : -ENOMEM;
	t->size = size;
	leave_section(r);
	return ret;
}

#define ENTRY_SIZE	20	/* an entry of the table of a buffer's CPUs */

/* Return one more than the highest CPU of the table at @at of a buffer's option. */
static int count_cpus(const struct dat_text *t, size_t at, uint32_t nr, uint32_t *nr_cpus)
{
	uint32_t id;

	for (; nr; nr--, at += ENTRY_SIZE) {
		if (!get_u32(t, at, &id) || id == UINT32_MAX)
			return RBMAP_ERR_BROKEN;
		if (*nr_cpus <= id)
			*nr_cpus = id + 1;
	}
	return 0;
}

/* Read the table of a buffer's CPUs, from byte @at of its option on. */
static int read_cpus(struct rbmap_recording *r, const struct dat_text *t, size_t at,
		     uint32_t nr, struct dat_cpu_reader *cpu, bool compressed)
{
	uint64_t size;
	uint32_t id;
	int ret = 0;

	for (; nr && !ret; nr--, at += ENTRY_SIZE) {
		struct dat_cpu_reader *c;

		/* count_cpus() has checked the number. */
		if (!get_u32(t, at, &id))
			return RBMAP_ERR_BROKEN;
		c = &cpu[id];
		/* Each CPU can be in the table once. */
		if (c->offset || c->chunks || !get_u64(t, at + 4, &c->offset) ||
		    !get_u64(t, at + 12, &size))
			return RBMAP_ERR_BROKEN;
		c->size = size;
		if (compressed)
			ret = dat_open_chunks(r, c, size);
	}
	return ret;
}

/* Return the length of a string in an option, with its 0; 0: it has no end. */
static size_t string_size(const struct dat_text *t, size_t at)
{
	const char *end = at < t->size ? memchr(t->text + at, 0, t->size - at) : NULL;

	return end ? end - (t->text + at) + 1 : 0;
}

/* A buffer's option has the offset of its section, its name, its clock, and its CPUs. */
static int read_buffer(struct rbmap_recording *r, const struct dat_text *t, uint32_t nr_cpus)
{
	size_t name, clock, at = sizeof(uint64_t);
	struct dat_cpu_reader *cpu;
	struct section_head head;
	uint32_t page_size, nr;
	uint64_t offset;
	int ret;

	name = string_size(t, at);
	clock = name ? string_size(t, at + name) : 0;
	if (!clock || !get_u64(t, 0, &offset))
		return RBMAP_ERR_BROKEN;
	if (!r->clock && clock > 1)
		r->clock = strdup(t->text + at + name);
	if (!get_u32(t, at + name + clock, &page_size) ||
	    !get_u32(t, at + name + clock + sizeof(page_size), &nr))
		return RBMAP_ERR_BROKEN;
	/* The top buffer has all CPUs, also those without data. */
	if (name > 1)
		nr_cpus = 0;
	ret = dat_check_page_size(page_size);
	if (!ret)
		ret = count_cpus(t, at + name + clock + 8, nr, &nr_cpus);
	if (!ret)
		ret = read_head(r, offset, DAT_OPTION_BUFFER, &head);
	if (!ret)
		ret = dat_add_buffer(r, t->text + at, nr_cpus, page_size, &cpu);
	if (!ret && name == 1)
		r->page_size = page_size;
	return ret ? ret : read_cpus(r, t, at + name + clock + 8, nr, cpu,
				     head.flags & DAT_SECTION_COMPRESSED);
}

static int read_buffers(struct rbmap_recording *r, const struct options *o)
{
	struct dat_cpu_reader *cpu;
	int ret = 0;

	if (!o->has_top)
		ret = dat_add_buffer(r, "", o->nr_cpus, r->page_size, &cpu);
	for (size_t i = 0; i < o->nr_buffers && !ret; i++)
		ret = read_buffer(r, &o->buffer[i], o->nr_cpus);
	return ret;
}

static int read_texts(struct rbmap_recording *r, const struct options *o)
{
	int ret = 0;

	for (int i = DAT_OPTION_HEADER_INFO; i <= DAT_OPTION_CMDLINES && !ret; i++) {
		/* Only the formats of pages must be there. */
		if (!o->offset[i] && i != DAT_OPTION_HEADER_INFO)
			continue;
		r->part[i - DAT_OPTION_HEADER_INFO] = o->offset[i];
		ret = enter_section(r, o->offset[i], i);
		if (!ret)
			ret = dat_read_part(r, i);
	}
	return ret;
}

static int read_parts(struct rbmap_recording *r, const struct options *o)
{
	int ret;

	if (!o->nr_buffers && o->latency)
		return RBMAP_ERR_LATENCY;
	ret = read_texts(r, o);
	if (ret)
		return ret;
	if (o->clocks)
		dat_set_clock(r, o->clocks);
	if (o->uname)
		dat_set_uname(r, o->uname);
	r->times = o->times;
	return read_buffers(r, o);
}

static int read_compression(struct rbmap_recording *r)
{
	char name[NAME_SIZE], version[NAME_SIZE];
	int ret = dat_take_string(r, name, sizeof(name));

	if (!ret)
		ret = dat_take_string(r, version, sizeof(version));
	if (ret)
		return ret;
	r->compressed = !strcmp(name, DAT_COMPRESSION);
	return r->compressed || !strcmp(name, "none") ? 0 : RBMAP_ERR_COMPRESSION;
}

int dat_read_sections(struct rbmap_recording *r)
{
	struct options o = { 0 };
	int ret;

	ret = read_compression(r);
	if (!ret)
		ret = dat_take_u64(r, &r->options);
	if (!ret && !r->options)
		ret = RBMAP_ERR_BROKEN;
	if (!ret)
		ret = dat_section_options(r, keep_option, &o);
	if (!ret)
		ret = read_parts(r, &o);
	leave_section(r);
	for (size_t i = 0; i < o.nr_buffers; i++)
		free(o.buffer[i].text);
	free(o.buffer);
	free(o.clocks);
	free(o.uname);
	return ret;
}
