// SPDX-License-Identifier: LGPL-2.1-only
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include <linux/rbmap.h>

#include "base/buf.h"
#include "dat_head.h"
#include "dat_write.h"
#include "dat_writer.h"
#include "recording/dat.h"
#include "stat_texts.h"

void dat_print_header_page(char *text, uint32_t page_size)
{
	snprintf(text, DAT_HEADER_PAGE_ROOM,
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
		 RBMAP_SUBBUF_HEADER_SIZE, page_size - RBMAP_SUBBUF_HEADER_SIZE);
}

static void add_sized(struct buf *b, const char *text)
{
	buf_add_u64(b, strlen(text));
	buf_add(b, text, strlen(text));
}

static void add_formats(struct buf *b, const struct dat_source *source)
{
	uint32_t nr_systems = 0, nr;
	size_t i, j;

	/* The formats are sorted by system: count the changes of the name. */
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

void dat_add_magic(struct buf *b, const char *version, uint32_t page_size)
{
	const unsigned char order_and_long[] = {
		__BYTE_ORDER == __BIG_ENDIAN, sizeof(long),
	};

	buf_add(b, DAT_MAGIC, DAT_MAGIC_SIZE);
	buf_add_string(b, version);
	buf_add(b, order_and_long, sizeof(order_and_long));
	buf_add_u32(b, page_size);
}

void dat_add_head(struct buf *b, const struct dat_source *source)
{
	const struct buf *kallsyms = source->kallsyms;

	dat_add_magic(b, DAT_VERSION, source->page_size);
	buf_add_string(b, DAT_HEADER_PAGE);
	add_sized(b, source->header_page);
	buf_add_string(b, DAT_HEADER_EVENT);
	add_sized(b, source->header_event);
	buf_add_u32(b, 0);			/* none of ftrace's own events */
	add_formats(b, source);
	buf_add_u32(b, (kallsyms ? kallsyms->size : 0) + source->kallsyms_room);
	if (kallsyms)
		buf_add(b, kallsyms->data, kallsyms->size);
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

static void add_times(struct buf *b, const struct dat_times *times)
{
	struct buf text = { 0 };

	dat_times_print(times, &text);
	if (!text.failed && text.size)
		add_option(b, DAT_OPTION_CPUSTAT, text.data);
	buf_free(&text);
}

void dat_add_tail(struct buf *b, const struct dat_writer *w, const struct buf *cmdlines)
{
	char version[256];

	buf_add_u64(b, cmdlines->size);
	buf_add(b, cmdlines->data, cmdlines->size);
	buf_add_u32(b, w->nr_cpus);

	buf_add(b, DAT_OPTIONS, DAT_WORD_SIZE);
	add_option(b, DAT_OPTION_TRACECLOCK, w->clocks);
	add_option(b, DAT_OPTION_UNAME, w->uname);
	snprintf(version, sizeof(version), "%s" DAT_UNFINISHED, w->version);
	add_option(b, DAT_OPTION_VERSION, version);
	for (unsigned int i = 0; w->cpustats && i < w->nr_cpus; i++)
		if (w->cpustats[i])
			add_cpustat(b, i, w->cpustats[i]);
	add_times(b, &w->times);
	if (!w->tables.failed)
		for (size_t at = 0; at < w->tables.size; at += strlen(w->tables.data + at) + 1)
			add_option(b, DAT_OPTION_CPUSTAT, w->tables.data + at);
	buf_add_u16(b, DAT_OPTION_DONE);

	buf_add(b, DAT_FLYRECORD, DAT_WORD_SIZE);
	/* The files of the CPUs have all data. */
	for (unsigned int i = 0; i < w->nr_cpus; i++) {
		buf_add_u64(b, 0);
		buf_add_u64(b, 0);
	}
}

/* ---- version 7: sections */

void section_head_add(struct buf *out, uint16_t id, uint16_t flags, uint32_t description,
		      uint64_t size)
{
	buf_add_u16(out, id);
	buf_add_u16(out, flags);
	buf_add_u32(out, description);
	buf_add_u64(out, size);
}

void section_option_add(struct buf *options, uint16_t option, uint64_t offset)
{
	buf_add_u16(options, option);
	buf_add_u32(options, sizeof(offset));
	buf_add_u64(options, offset);
}
