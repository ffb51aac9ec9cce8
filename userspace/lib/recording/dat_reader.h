/* SPDX-License-Identifier: LGPL-2.1-only */
/* Declarations shared by the files that read a recording. */
#ifndef RBMAP_DAT_READER_H
#define RBMAP_DAT_READER_H

#include <linux/rbmap.h>

#include "api.h"
#include "dat.h"
#include "dat_cgroups.h"
#include "dat_devices.h"
#include "dat_hosts.h"
#include "dat_correction.h"
#include "dat_limits.h"
#include "dat_place.h"
#include "dat_read.h"
#include "dat_times.h"

#define HEAD		RBMAP_SUBBUF_HEADER_SIZE
#define CGROUPS_MAX	(1u << 20)	/* bytes of the text of cgroups */

struct dat_chunks;

/* The name of a thread, and the place of its line in the recording's text. */
struct recorded_comm {
	int pid;
	unsigned int order;
	const char *name;
};

/* A buffer of the recorded system; the first one is the top buffer. */
/* Lost events of which no page says anything */
struct dat_missed {
	char *buffer;		/* NULL: that of the recorder, or known otherwise */
	uint64_t *cpu;
	uint32_t nr;
};

struct dat_buffer {
	char *name;		/* "": the top buffer */
	struct dat_missed missed;
	uint32_t page_size;
	uint32_t first;		/* its first stream */
	uint32_t nr_cpus;	/* number of its streams */
	bool chosen;		/* its events are wanted */
};

/* The data of a CPU of a buffer: a stream. */
struct dat_cpu_reader {
	unsigned int buffer;
	unsigned int cpu;
	uint32_t page_size;
	uint64_t offset;	/* offset in the file */
	uint64_t size;		/* size in the table; of compressed data, uncompressed */
	uint64_t limit;		/* bytes that the files contain */
	bool lacks;		/* they lack the data behind @limit */
	bool is_broken;		/* some of its pages were invalid */
	int spool;		/* the CPU's file, which has the data beyond @size; or -1 */
	uint64_t at;		/* offset of the next page */
	struct dat_chunks *chunks;	/* NULL: the data is not compressed */
	unsigned char *pages;	/* those that were read at once */
	size_t room;		/* bytes for them */
	uint64_t pages_at, pages_end;	/* where they are in the data */
	unsigned char *page;	/* one of them */
	size_t page_bytes;	/* bytes of the page that exist */
	bool is_whole;		/* nothing has cut the page off */
	size_t events_size;	/* bytes of its events; 0: they cannot be, or have been, decoded */
	struct rbmap_cursor cursor;
	uint64_t lost;		/* not reported yet */
	uint64_t lost_known;	/* as far as it is known; valid if @lost is not 0 */
	bool in_gap;		/* it had an event, and a loss is before the next one, or the end */
	struct rbmap_event ev;	/* next event, if the CPU is in the heap; else without a loss */
};

/* A stream and the time of its next event. An array has the streams in order. */
struct dat_head {
	uint64_t ts;
	struct dat_cpu_reader *c;
};

struct rbmap_recording {
	struct rbmap_formats *formats;	/* those of rbmap.h; NULL: dat_open() has opened it */
	struct recorded_comm *comm;	/* sorted by pid and order */
	size_t nr_comms;
	bool out_of_memory;
	int fd;
	struct dat_place place;		/* where the files of the CPUs are */
	uint64_t file_size;
	struct dat_limits limits;
	char *section;			/* uncompressed section; NULL: read the file */
	uint64_t at;			/* offset while headers are read, */
	uint64_t end;			/* and where they end, in the section or the file */
	/*
	 * Version 6: where the parts begin, and where the last one ends. Version 7: where their
	 * sections are; 0: the file has no such section.
	 */
	uint64_t part[DAT_NR_PARTS + 1];
	/* Version 6: without the option DONE. Version 7: where the first section of options is. */
	uint64_t options, options_end;
	uint64_t unfinished;		/* where the text DAT_UNFINISHED is */
	uint64_t table;			/* where the table of the CPUs' data is */
	bool sections;			/* version 7 */
	bool compressed;		/* by zstd */
	uint8_t long_size;		/* 4 or 8 */
	uint8_t head;			/* bytes of a sub-buffer's header in the file */
	uint32_t page_size;
	struct dat_text *format;
	size_t nr_formats;
	char **system;			/* names that formats point to */
	size_t nr_systems;
	bool skips_symbols;		/* kallsyms.text stays NULL */
	bool shares_lock;		/* fd is a copy: unlocking it would unlock the caller's */
	struct dat_text kallsyms;
	struct dat_text printk;
	struct dat_text cmdlines;
	char *clock;
	struct dat_correction correction;
	char *uname;
	struct dat_times times;
	struct dat_cgroups *cgroups;	/* NULL: the file has none */
	struct dat_devices *devices;	/* NULL: the file has none */
	struct dat_hosts *hosts;	/* NULL: it is not merged */
	struct dat_missed *missed;	/* until dat_missed_assign() */
	uint32_t nr_missed;
	struct rbmap_damage damage;
	struct rbmap_damage damage_of_heads;	/* found before the first event */
	struct rbmap_damage reported_damage;
	uint32_t nr_cpus;		/* CPUs of the buffer that has most */
	struct dat_buffer *buffer;
	unsigned int nr_buffers;
	struct dat_cpu_reader *cpu;	/* the streams: all CPUs of the first buffer, of the next … */
	unsigned int nr_streams;
	size_t room;			/* for streams */
	struct dat_head *heap;		/* streams, the one with the oldest event first */
	unsigned int nr_heap;
	unsigned int nr_gaps;		/* streams that are in a gap */
	bool started;
};

/*
 * Functions return 0 or more for success, and a negative errno or an enum dat_error.
 */

/* dat_missed.c: take what the counters of a CPU say, from a text of DAT_OPTION_CPUSTAT. */
int dat_missed_parse(struct rbmap_recording *r, const char *text);
/* Return the next line of such a text that says it, from a place in the text on, or NULL. */
const char *dat_missed_find(const char *text, const char *from);
/* Return the name of the buffer whose counters follow such a text, up to a newline, or NULL. */
const char *dat_missed_buffer(const char *text);
/* Return the buffer with that name; 0 if the file has none. */
unsigned int dat_missed_buffer_find(const struct rbmap_recording *r, const char *name);
/* All texts and buffers are known: give the counters to the buffers. */
int dat_missed_assign(struct rbmap_recording *r);
void dat_missed_free(struct dat_missed *m);

/*
 * dat_headers.c: take a text of DAT_OPTION_CPUSTAT: moments, counters of a CPU, cgroups, or
 * devices. @times gets the moments.
 */
int dat_take_stat(struct rbmap_recording *r, struct dat_times *times, const char *text);

/* dat_headers.c: read bytes of the file. */
int dat_read_at(int fd, void *data, size_t size, uint64_t offset);
/* Read the next bytes of the section or the file. */
int dat_take(struct rbmap_recording *r, void *data, uint64_t size);
int dat_take_u16(struct rbmap_recording *r, uint16_t *value);
int dat_take_u32(struct rbmap_recording *r, uint32_t *value);
int dat_take_u64(struct rbmap_recording *r, uint64_t *value);
/* Read a string with its 0, at most @room bytes. */
int dat_take_string(struct rbmap_recording *r, char *text, size_t room);
/* Read a size and a text; the caller frees t->text. */
int dat_take_text_u32(struct rbmap_recording *r, struct dat_text *t);

/* dat_headers.c: read the part that all versions have, by its option in version 7. */
int dat_read_part(struct rbmap_recording *r, int option);
/* @clocks: contents of trace_clock; the first call that finds a clock sets it. */
void dat_set_clock(struct rbmap_recording *r, const char *clocks);
/* The first call sets it. */
void dat_set_uname(struct rbmap_recording *r, const char *uname);
/*
 * dat_buffers.c: add a buffer with streams without data. @name: "": the top buffer, which
 * comes first. Store its first stream, which is valid until the next call.
 */
int dat_add_buffer(struct rbmap_recording *r, const char *name, uint32_t nr_cpus,
		   uint32_t page_size, struct dat_cpu_reader **first);
int dat_check_page_size(uint32_t page_size);

/* Read all headers. */
int dat_read_headers(struct rbmap_recording *r);

/* dat_data.c: find the data of all CPUs, and read data that is not compressed. */
int dat_find_data(struct rbmap_recording *r);
int dat_read_data(struct rbmap_recording *r, const struct dat_cpu_reader *c, void *data,
		  size_t size, uint64_t at);
/* The file lacks so many bytes more. */
void dat_add_missing(struct rbmap_recording *r, uint64_t bytes);
/*
 * Let the header of a page say that only its first @page_bytes exist. Return true if it said
 * something else.
 */
bool dat_trim_page(void *page, size_t page_bytes);
/*
 * Read whole pages. If the files end within the last page, its header says so, and zeroes
 * follow. @size is a multiple of the page's size.
 */
int dat_read_pages(struct rbmap_recording *r, const struct dat_cpu_reader *c, void *pages,
		   size_t size, uint64_t at);

/* dat_sections.c: read the headers of version 7, from the name of the compression on. */
int dat_read_sections(struct rbmap_recording *r);

/*
 * Pass each option of the file, but the one that ends them. @each returns 1 if it keeps
 * @t->text, 0, or an error.
 */
typedef int dat_option_fn(struct rbmap_recording *r, void *data, uint16_t option,
			  struct dat_text *t);
int dat_section_options(struct rbmap_recording *r, dat_option_fn *each, void *data);

/* Read the text of a part, by its option; the caller frees it. NULL: the file lacks it. */
int dat_section_text(struct rbmap_recording *r, int id, struct dat_text *t);

/* dat_raw.c: the same for any version, after the headers were read. */
int dat_each_option(struct rbmap_recording *r, dat_option_fn *each, void *data);
int dat_part_text(struct rbmap_recording *r, int id, struct dat_text *t);

/*
 * dat_chunks.c: read compressed data of a CPU. dat_open_chunks() sets the size and the
 * limit of @c; @size is the size of the data in the file.
 */
int dat_open_chunks(struct rbmap_recording *r, struct dat_cpu_reader *c, uint64_t size);
void dat_close_chunks(struct dat_chunks *chunks);
void dat_rewind_chunks(struct dat_chunks *chunks);
/*
 * Read the next bytes, at most up to c->limit. Skip chunks that are damaged, and count
 * them. Return 1, or 0 at the end of the data.
 */
int dat_read_chunks(struct rbmap_recording *r, struct dat_cpu_reader *c, void *data, size_t size);

/* dat_buffers.c: dat_buffer_loss_behind() of a stream, without dat_missed() */
struct dat_loss dat_stream_loss_behind(const struct rbmap_recording *r, unsigned int stream);
/* dat_buffers.c: dat_cpu_lacks_events() of a stream */
bool dat_stream_lacks_events(const struct rbmap_recording *r, unsigned int stream);

/* dat_zstd.c: uncompress one frame. Return 0, RBMAP_ERR_BROKEN or RBMAP_ERR_NO_ZSTD. */
int dat_uncompress(void *to, size_t size, const void *from, size_t from_size);

/* Count sub-buffers whose rest is skipped. */
static inline void dat_count_broken(struct rbmap_recording *r, struct dat_cpu_reader *c,
				    uint64_t nr)
{
	r->damage.broken += nr;
	c->is_broken |= nr > 0;
}

/* Return the size of a CPU's data in whole pages. */
static inline uint64_t dat_pages_size(const struct rbmap_recording *r,
				      const struct dat_cpu_reader *c)
{
	(void)r;
	return round_up_to(c->limit, c->page_size);
}

#endif /* RBMAP_DAT_READER_H */
