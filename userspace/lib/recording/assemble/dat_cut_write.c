// SPDX-License-Identifier: LGPL-2.1-only
/* Write the file of a part: its headers, and the chunks of each CPU from the spool. */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "dat_cut_parts.h"
#include "recording/dat.h"
#include "recording/write/dat_head.h"

static int put(struct dat_cut *cut, const void *data, size_t size)
{
	cut->at += size;
	if (!cut->counts)
		cut->write_error = write_all(cut->fd, data, size);
	return cut->write_error;
}

static int put_buf(struct dat_cut *cut, struct buf *b)
{
	int ret = b->failed ? -ENOMEM : put(cut, b->data, b->size);

	buf_free(b);
	return ret;
}

static int put_section_head(struct dat_cut *cut, uint16_t id, uint16_t flags, uint64_t size)
{
	struct buf head = { 0 };

	/* The description is empty. */
	section_head_add(&head, id, flags, 0, size);
	return put_buf(cut, &head);
}

static int put_part(struct dat_cut *cut, int id)
{
	struct dat_text t;
	int ret = dat_part_text(cut->r, id, &t);

	if (!ret && t.text) {
		section_option_add(&cut->options, id, cut->at);
		ret = dat_cut_pack(cut, t.text, t.size);
		if (!ret)
			ret = put_section_head(cut, id, DAT_SECTION_COMPRESSED, cut->packed.size);
		if (!ret)
			ret = put(cut, cut->packed.data, cut->packed.size);
	}
	free(t.text);
	return ret;
}

static int put_piece(struct dat_cut *cut, const struct piece *piece)
{
	char *data = NULL;
	int ret = 0;

	if (!cut->counts) {
		data = malloc(piece->size);
		ret = data ? read_all_at(cut->spool, data, piece->size, piece->offset) : -ENOMEM;
	}
	if (!ret)
		ret = put(cut, data, piece->size);
	free(data);
	return ret;
}

/* Write the chunks of a CPU, and add it to the buffer's option. */
static int put_stream(struct dat_cut *cut, const struct stream *s, struct buf *option)
{
	uint64_t begin = cut->at;
	uint32_t nr = s->nr_pieces;
	int ret = put(cut, &nr, sizeof(nr));

	for (size_t i = 0; !ret && i < s->nr_pieces; i++)
		ret = put_piece(cut, &s->piece[i]);
	buf_add_u32(option, cut->r->cpu[s - cut->stream].cpu);
	buf_add_u64(option, begin);
	buf_add_u64(option, cut->at - begin);
	return ret;
}

static uint64_t bytes_of(const struct stream *s)
{
	uint64_t bytes = sizeof(uint32_t);

	for (size_t i = 0; i < s->nr_pieces; i++)
		bytes += s->piece[i].size;
	return bytes;
}

static int put_buffer(struct dat_cut *cut, const struct dat_buffer *b)
{
	const struct stream *s = &cut->stream[b->first];
	struct buf option = { 0 };
	uint32_t nr = 0;
	uint64_t bytes = 0;
	int ret;

	for (uint32_t i = 0; i < b->nr_cpus; i++) {
		nr += s[i].nr_pieces > 0;
		bytes += s[i].nr_pieces ? bytes_of(&s[i]) : 0;
	}
	buf_add_u64(&option, cut->at);
	buf_add_string(&option, b->name);
	buf_add_string(&option, cut->r->clock ? cut->r->clock : "");
	buf_add_u32(&option, b->page_size);
	buf_add_u32(&option, nr);
	ret = put_section_head(cut, DAT_OPTION_BUFFER, DAT_SECTION_COMPRESSED, bytes);
	for (uint32_t i = 0; !ret && i < b->nr_cpus; i++)
		if (s[i].nr_pieces)
			ret = put_stream(cut, &s[i], &option);
	buf_add_u16(&cut->options, DAT_OPTION_BUFFER);
	buf_add_u32(&cut->options, option.size);
	buf_add(&cut->options, option.data, option.size);
	if (option.failed)
		ret = -ENOMEM;
	buf_free(&option);
	return ret;
}

/* Does the writer make this option itself? */
static bool is_made(const struct dat_cut *cut, uint16_t option)
{
	return option == DAT_OPTION_BUFFER || option == DAT_OPTION_BUFFER_TEXT ||
	       (option == DAT_OPTION_CPUCOUNT && !cut->r->sections) ||
	       (option >= DAT_OPTION_STRINGS && option <= DAT_OPTION_CMDLINES);
}

/* Are these the counters of a CPU or a buffer that is left out? */
static bool is_dropped(struct dat_cut *cut, uint16_t option, const struct dat_text *t)
{
	const char *name = option == DAT_OPTION_CPUSTAT ? dat_missed_buffer(t->text) : NULL;
	unsigned int cpu;

	if (name)
		cut->counters_of = dat_missed_buffer_find(cut->r, name);
	if (option != DAT_OPTION_CPUSTAT || (!name && sscanf(t->text, "CPU: %u", &cpu) != 1))
		return false;
	return !cut->r->buffer[cut->counters_of].chosen ||
	       (!name && cpu < cut->r->nr_cpus && cut->drops_counters[cpu]);
}

/*
 * Copy the counters of a CPU. If the part ends before the recording, the events that the kernel
 * missed get another name, so that nobody adds them to the losses of the part.
 */
static void copy_counters(struct dat_cut *cut, const struct dat_text *t)
{
	const char *at = t->text, *missed = NULL;
	struct buf text = { 0 };

	if (dat_stops_early(cut->r))
		missed = dat_missed_find(t->text, at);
	for (; missed; missed = dat_missed_find(t->text, at)) {
		buf_add(&text, at, missed - at);
		buf_printf(&text, "in the whole recording, ");
		at = missed;
	}
	buf_add(&text, at, t->size - (at - t->text));
	buf_add_u32(&cut->options, text.size);
	buf_add(&cut->options, text.data, text.size);
	cut->options.failed |= text.failed;
	buf_free(&text);
}

static int copy_option(struct rbmap_recording *r, void *data, uint16_t option, struct dat_text *t)
{
	const size_t len = strlen(DAT_UNFINISHED);
	struct dat_cut *cut = data;
	size_t end = strnlen(t->text, t->size);

	(void)r;
	if (is_made(cut, option) || is_dropped(cut, option, t))
		return 0;
	/* The part is complete, also if the recording is not. */
	if (option == DAT_OPTION_VERSION && end >= len &&
	    !memcmp(t->text + end - len, DAT_UNFINISHED, len))
		memset(t->text + end - len, 0, len);
	buf_add_u16(&cut->options, option);
	if (option == DAT_OPTION_CPUSTAT) {
		copy_counters(cut, t);
		return 0;
	}
	buf_add_u32(&cut->options, t->size);
	buf_add(&cut->options, t->text, t->size);
	return 0;
}

/* The counters of a CPU say how many of its events the part lacks. */
static void add_left_out(struct dat_cut *cut, unsigned int cpu)
{
	struct buf text = { 0 };

	buf_printf(&text, "CPU: %u\nnot selected: %" PRIu64 "\n", cpu, cut->left_out[cpu]);
	buf_add(&text, "", 1);
	buf_add_u16(&cut->options, DAT_OPTION_CPUSTAT);
	buf_add_u32(&cut->options, text.size);
	buf_add(&cut->options, text.data, text.size);
	cut->options.failed |= text.failed;
	buf_free(&text);
}

static int add_options(struct dat_cut *cut)
{
	uint32_t nr_cpus = cut->r->buffer[0].nr_cpus;
	int ret = dat_each_option(cut->r, copy_option, cut);

	for (unsigned int cpu = 0; cpu < cut->r->nr_cpus; cpu++)
		if (cut->left_out[cpu])
			add_left_out(cut, cpu);
	if (cut->r->sections)
		return ret;
	buf_add_u16(&cut->options, DAT_OPTION_CPUCOUNT);
	buf_add_u32(&cut->options, sizeof(nr_cpus));
	buf_add_u32(&cut->options, nr_cpus);
	return ret;
}

static int put_strings(struct dat_cut *cut)
{
	section_option_add(&cut->options, DAT_OPTION_STRINGS, cut->at);
	return put_section_head(cut, DAT_OPTION_STRINGS, 0, 1) || put(cut, "", 1) ?
	       cut->write_error : 0;
}

static int put_options(struct dat_cut *cut)
{
	int ret;

	cut->options_at = cut->at;
	section_option_add(&cut->options, DAT_OPTION_DONE, 0);
	if (cut->options.failed)
		return -ENOMEM;
	ret = put_section_head(cut, DAT_SECTION_OPTIONS, 0, cut->options.size);
	return ret ? ret : put(cut, cut->options.data, cut->options.size);
}

static int put_head(struct dat_cut *cut)
{
	const unsigned char order_and_long[] = {
		__BYTE_ORDER == __BIG_ENDIAN, cut->r->long_size,
	};
	struct buf head = { 0 };

	buf_add(&head, DAT_MAGIC, DAT_MAGIC_SIZE);
	buf_add_string(&head, DAT_VERSION_SECTIONS);
	buf_add(&head, order_and_long, sizeof(order_and_long));
	buf_add_u32(&head, cut->r->page_size);
	buf_add_string(&head, DAT_COMPRESSION);
	buf_add_string(&head, ZSTD_versionString());
	buf_add_u64(&head, cut->options_at);
	return put_buf(cut, &head);
}

static int put_all(struct dat_cut *cut)
{
	int ret = put_head(cut);

	cut->options.size = 0;
	if (!ret)
		ret = add_options(cut);
	for (int id = DAT_OPTION_HEADER_INFO; id <= DAT_OPTION_CMDLINES && !ret; id++)
		ret = put_part(cut, id);
	for (unsigned int i = 0; !ret && i < cut->r->nr_buffers; i++)
		/* The top buffer is in each file. */
		if (!i || cut->r->buffer[i].chosen)
			ret = put_buffer(cut, &cut->r->buffer[i]);
	if (!ret)
		ret = put_strings(cut);
	return ret ? ret : put_options(cut);
}

int dat_cut_write(struct dat_cut *cut, int fd)
{
	int ret = dat_cut_end_streams(cut);

	cut->fd = fd;
	for (int pass = 0; !ret && pass < 2; pass++) {
		cut->counts = !pass;
		cut->at = 0;
		ret = put_all(cut);
	}
	return ret;
}

int dat_cut_write_error(const struct dat_cut *cut)
{
	return cut->write_error;
}
