// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Write a recording of version 7 from one of version 6. The parts of version 6 are the
 * contents of the sections.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/buf.h"
#include "dat_assemble.h"
#include "recording/dat_reader.h"
#include "recording/write/dat_head.h"
#include "recording/write/safe_place.h"
#include "symbols/symbol_use.h"

/*
 * Level 3 finds repetitions that level 1 misses in some recordings. Level 1 needs less memory,
 * which counts for a short text.
 */
#define LEVEL		3
#define SHORT_LEVEL	1
#define SHORT		(128u << 10)
#define CHUNK		(1u << 20)	/* at most, in whole pages, but at least a page */

/*
 * A search that compares more places saves a fifth of a recording of a machine at work, and takes
 * three times as long: 5 ms for a megabyte. Nobody shall wait for that at the end of a large
 * recording. Events that are all alike need no such search.
 */
#define THOROUGH_MOST	(64u << 20)
#define ALIKE		32	/* times smaller than before */
#define WINDOW_LOG	20
#define TABLE_LOG	17
#define SEARCH_LOG	3
#define MIN_MATCH	7

#define MANY		(1u << 20)	/* the size of the output's buffer */

/* Descriptions of the sections, in the order of their options from STRINGS on. */
static const char *const description[] = {
	"strings", "headers", "ftrace events", "events format", "kallsyms",
	"trace_printk", "saved command lines", "flyrecord", "options",
};

enum { DESCRIBES_BUFFER = 7, DESCRIBES_OPTIONS = 8, NR_DESCRIPTIONS = 9 };

struct output {
	struct rbmap_recording *r;
	FILE *file;
	ZSTD_CCtx *zstd;
	bool alike;		/* the last chunk has become much smaller */
	struct buf packed;	/* the last frame */
	struct buf options;
	struct symbol_use *symbols;	/* NULL: the recording has no symbols */
	struct dat_assembly *a;
	uint64_t pages;		/* bytes of pages that were read */
	uint64_t all_pages;
	dat_go_on_fn *go_on;
	void *data;
};

static int put(struct output *o, const void *data, size_t size)
{
	return fwrite(data, 1, size, o->file) == size ? 0 : -errno;
}

/* Write the buffer, and free it. */
static int put_buf(struct output *o, struct buf *b)
{
	int ret = b->failed ? -ENOMEM : put(o, b->data, b->size);

	buf_free(b);
	return ret;
}

static int put_u32(struct output *o, uint32_t value)
{
	return put(o, &value, sizeof(value));
}

/* Write again what was not known before. */
static int put_at(struct output *o, uint64_t offset, const void *data, size_t size)
{
	off_t end = ftello(o->file);
	int ret;

	if (fseeko(o->file, offset, SEEK_SET))
		return -errno;
	ret = put(o, data, size);
	if (!ret && fseeko(o->file, end, SEEK_SET))
		ret = -errno;
	return ret;
}

static uint32_t description_offset(unsigned int nr)
{
	uint32_t offset = 0;

	while (nr--)
		offset += strlen(description[nr]) + 1;
	return offset;
}

static int put_section_head(struct output *o, uint16_t id, uint16_t flags,
			    unsigned int describes, uint64_t size)
{
	struct buf head = { 0 };

	section_head_add(&head, id, flags, description_offset(describes), size);
	return put_buf(o, &head);
}

/* @thorough: search more for a smaller result */
static bool set_search(ZSTD_CCtx *zstd, size_t size, bool thorough)
{
	static const struct {
		ZSTD_cParameter parameter;
		int value;
	} search[] = {
		{ ZSTD_c_strategy, ZSTD_lazy }, { ZSTD_c_windowLog, WINDOW_LOG },
		{ ZSTD_c_hashLog, TABLE_LOG }, { ZSTD_c_chainLog, TABLE_LOG },
		{ ZSTD_c_searchLog, SEARCH_LOG }, { ZSTD_c_minMatch, MIN_MATCH },
	};
	int level = size < SHORT ? SHORT_LEVEL : LEVEL;

	ZSTD_CCtx_reset(zstd, ZSTD_reset_session_and_parameters);
	if (ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level)))
		return false;
	for (size_t i = 0; thorough && i < sizeof(search) / sizeof(*search); i++)
		if (ZSTD_isError(ZSTD_CCtx_setParameter(zstd, search[i].parameter,
							search[i].value)))
			return false;
	return true;
}

/* Compress @size bytes to o->packed. */
static int pack(struct output *o, const void *data, size_t size, bool thorough)
{
	size_t room = ZSTD_compressBound(size), packed;
	char *at;

	o->packed.size = 0;
	at = buf_room(&o->packed, room);
	if (!at || !set_search(o->zstd, size, thorough))
		return -ENOMEM;
	packed = ZSTD_compress2(o->zstd, at, room, data, size);
	if (ZSTD_isError(packed))
		return -ENOMEM;
	buf_end(&o->packed, at + packed);
	return 0;
}

/* The first chunk is compressed twice, unless its events are alike. */
static int pack_pages(struct output *o, const void *pages, size_t size)
{
	bool may = size >= SHORT && o->all_pages <= THOROUGH_MOST;
	int ret = pack(o, pages, size, may && o->pages && !o->alike);

	o->alike = o->packed.size < size / ALIKE;
	if (!ret && may && !o->pages && !o->alike)
		ret = pack(o, pages, size, true);
	return ret;
}

/* Write both sizes and the frame of @size bytes. */
static int put_packed(struct output *o, size_t size)
{
	int ret = put_u32(o, o->packed.size);

	if (!ret)
		ret = put_u32(o, size);
	return ret ? ret : put(o, o->packed.data, o->packed.size);
}

static int put_section(struct output *o, uint16_t id, const void *data, size_t size)
{
	int ret = pack(o, data, size, false);

	if (!ret) {
		section_option_add(&o->options, id, ftello(o->file));
		ret = put_section_head(o, id, DAT_SECTION_COMPRESSED,
				       id - DAT_OPTION_STRINGS, o->packed.size + 8);
	}
	return ret ? ret : put_packed(o, size);
}

static int put_part(struct output *o, int nr)
{
	uint64_t from = o->r->part[nr], size = o->r->part[nr + 1] - from;
	void *text = malloc(size + 1);
	int ret = text ? dat_read_at(o->r->fd, text, size, from) : -ENOMEM;

	if (!ret)
		ret = put_section(o, DAT_OPTION_HEADER_INFO + nr, text, size);
	free(text);
	return ret;
}

/* Write the symbols that the events use. All pages were written before. */
static int put_symbols(struct output *o)
{
	const struct dat_text *all = &o->r->kallsyms;
	struct buf used = { 0 };
	uint32_t size;
	int ret = 0;

	buf_add_u32(&used, 0);
	if (o->a->read)
		o->a->symbols_error = symbol_use_read(o->symbols, o->a->read, &used);
	else if (o->symbols)
		ret = symbol_use_print(o->symbols, all->text, all->size, &used);
	if (used.failed)
		ret = -ENOMEM;
	if (!ret) {
		size = used.size - sizeof(size);
		memcpy(used.data, &size, sizeof(size));
		ret = put_section(o, DAT_OPTION_KALLSYMS, used.data, used.size);
	}
	buf_free(&used);
	return ret;
}

static int put_chunk(struct output *o, const struct dat_cpu_reader *c, void *pages,
		     size_t size, uint64_t at)
{
	size_t page_size = o->r->page_size;
	int ret = dat_read_pages(o->r, c, pages, size, at);

	for (size_t page = 0; page < size && o->symbols && !ret; page += page_size)
		ret = symbol_use_add_page(o->symbols, (char *)pages + page, page_size);
	if (!ret)
		ret = pack_pages(o, pages, size);
	if (!ret)
		ret = put_packed(o, size);
	o->pages += size;
	if (!ret && !o->go_on(o->data, (double)o->pages / o->all_pages))
		ret = 1;
	return ret;
}

/* Write the chunks of a CPU, and add the CPU to the option. */
static int put_cpu(struct output *o, struct buf *option, uint32_t cpu)
{
	const struct dat_cpu_reader *c = &o->r->cpu[cpu];
	size_t page = o->r->page_size, most = page > CHUNK ? page : CHUNK / page * page;
	uint64_t begin = ftello(o->file), all = dat_pages_size(o->r, c);
	void *pages = malloc(most);
	int ret;

	ret = pages ? put_u32(o, (all + most - 1) / most) : -ENOMEM;
	for (uint64_t at = 0; at < all && !ret; at += most)
		ret = put_chunk(o, c, pages, all - at < most ? all - at : most, at);
	free(pages);
	buf_add_u32(option, cpu);
	buf_add_u64(option, begin);
	buf_add_u64(option, ftello(o->file) - begin);
	return ret;
}

static uint32_t nr_cpus_with_data(const struct rbmap_recording *r)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < r->nr_cpus; i++)
		nr += r->cpu[i].limit > 0;
	return nr;
}

static int put_buffer(struct output *o)
{
	uint64_t begin = ftello(o->file), size;
	const struct rbmap_recording *r = o->r;
	struct buf option = { 0 };
	int ret;

	buf_add_u64(&option, begin);
	buf_add_string(&option, "");
	buf_add_string(&option, r->clock ? r->clock : "");
	buf_add_u32(&option, r->page_size);
	buf_add_u32(&option, nr_cpus_with_data(r));
	ret = put_section_head(o, DAT_OPTION_BUFFER, DAT_SECTION_COMPRESSED,
			       DESCRIBES_BUFFER, 0);
	for (uint32_t i = 0; i < r->nr_cpus && !ret; i++)
		if (r->cpu[i].limit)
			ret = put_cpu(o, &option, i);
	size = ftello(o->file) - begin - 16;
	if (!ret)
		ret = put_at(o, begin + 8, &size, sizeof(size));
	buf_add_u16(&o->options, DAT_OPTION_BUFFER);
	buf_add_u32(&o->options, option.size);
	buf_add(&o->options, option.data, option.size);
	if (option.failed)
		ret = -ENOMEM;
	buf_free(&option);
	return ret;
}

static int put_strings(struct output *o)
{
	int ret;

	section_option_add(&o->options, DAT_OPTION_STRINGS, ftello(o->file));
	ret = put_section_head(o, DAT_OPTION_STRINGS, 0, 0,
			       description_offset(NR_DESCRIPTIONS));
	for (unsigned int i = 0; i < NR_DESCRIPTIONS && !ret; i++)
		ret = put(o, description[i], strlen(description[i]) + 1);
	return ret;
}

/* Take over the options of version 6. */
static int copy_options(struct output *o)
{
	size_t size = o->r->options_end - o->r->options;
	char *options = malloc(size + 1);
	int ret = options ? dat_read_at(o->r->fd, options, size, o->r->options) : -ENOMEM;

	if (!ret && o->r->damage.unfinished)
		memset(options + (o->r->unfinished - o->r->options), 0,
		       strlen(DAT_UNFINISHED));
	if (!ret)
		buf_add(&o->options, options, size);
	free(options);
	buf_add_u16(&o->options, DAT_OPTION_CPUCOUNT);
	buf_add_u32(&o->options, sizeof(o->r->nr_cpus));
	buf_add_u32(&o->options, o->r->nr_cpus);
	return ret;
}

static int put_options(struct output *o)
{
	int ret;

	section_option_add(&o->options, DAT_OPTION_DONE, 0);
	if (o->options.failed)
		return -ENOMEM;
	ret = put_section_head(o, DAT_SECTION_OPTIONS, 0, DESCRIBES_OPTIONS,
			       o->options.size);
	return ret ? ret : put(o, o->options.data, o->options.size);
}

static int put_head(struct output *o)
{
	struct buf head = { 0 };

	dat_add_magic(&head, DAT_VERSION_SECTIONS, o->r->page_size);
	buf_add_string(&head, DAT_COMPRESSION);
	buf_add_string(&head, ZSTD_versionString());
	return put_buf(o, &head);
}

static int put_all(struct output *o)
{
	uint64_t options_at, none = 0, options;
	int ret = put_head(o);

	options_at = ftello(o->file);
	if (!ret)
		ret = put(o, &none, sizeof(none));
	if (!ret)
		ret = copy_options(o);
	for (int i = 0; i < DAT_NR_PARTS && !ret; i++)
		if (i + DAT_OPTION_HEADER_INFO != DAT_OPTION_KALLSYMS)
			ret = put_part(o, i);
	if (!ret)
		ret = put_buffer(o);
	if (!ret)
		ret = put_symbols(o);
	if (!ret)
		ret = put_strings(o);
	options = ftello(o->file);
	if (!ret)
		ret = put_options(o);
	return ret ? ret : put_at(o, options_at, &options, sizeof(options));
}

/* Give @file the owner and the mode of the recording. Then it has its data on the disk. */
static int make_ready(FILE *file, int recording)
{
	struct stat st;

	if (fflush(file) || fstat(recording, &st))
		return -errno;
	/* Only root can give files to others. */
	if (fchown(fileno(file), st.st_uid, st.st_gid) && errno != EPERM)
		return -errno;
	if (fchmod(fileno(file), st.st_mode & 0777) || fdatasync(fileno(file)))
		return -errno;
	return 0;
}

static int write_file(struct output *o, int fd)
{
	int ret;

	o->file = fdopen(fd, "w");
	if (!o->file) {
		ret = -errno;
		close(fd);
		return ret;
	}
	setvbuf(o->file, NULL, _IOFBF, MANY);
	ret = put_all(o);
	if (!ret)
		ret = make_ready(o->file, o->r->fd);
	if (fclose(o->file) && !ret)
		ret = -errno;
	return ret;
}

static int replace(struct output *o, const struct dat_place *place)
{
	char *name;
	int fd = safe_place_temporary(place, &name), ret;

	if (fd < 0)
		return fd;
	ret = write_file(o, fd);
	if (!ret && !dat_place_has(place, o->r->fd))
		ret = -ESTALE;
	if (!ret && renameat(place->dir, name, place->dir, place->name))
		ret = -errno;
	if (ret)
		unlinkat(place->dir, name, 0);
	free(name);
	return ret;
}

/* Prepare to find the symbols that the events use, if the recording has any symbols. */
static int begin_symbols(struct output *o)
{
	const struct rbmap_recording *r = o->r;
	int ret = 0;

	if (!r->kallsyms.size && !o->a->read)
		return 0;
	o->symbols = symbol_use_new();
	if (!o->symbols)
		return -ENOMEM;
	for (size_t i = 0; i < r->nr_formats && !ret; i++)
		ret = symbol_use_add_format(o->symbols, r->format[i].text);
	return ret;
}

int dat_compress(struct rbmap_recording *r, struct dat_assembly *a)
{
	struct output o = { .r = r, .a = a, .go_on = a->go_on, .data = a->data };
	int ret;

	for (uint32_t i = 0; i < r->nr_cpus; i++)
		o.all_pages += dat_pages_size(r, &r->cpu[i]);
	o.zstd = ZSTD_createCCtx();
	ret = o.zstd ? begin_symbols(&o) : -ENOMEM;
	if (!ret)
		ret = replace(&o, &r->place);
	ZSTD_freeCCtx(o.zstd);
	if (o.symbols)
		a->left_out = symbol_use_left_out(o.symbols);
	symbol_use_free(o.symbols);
	buf_free(&o.options);
	buf_free(&o.packed);
	return ret;
}
