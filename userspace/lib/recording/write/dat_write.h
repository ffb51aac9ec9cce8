/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Write a recording.
 *
 * While it is recorded, FILE has the headers, and a file beside it has the pages of each
 * CPU (dat_spool.h). So data is written once and as it is, no file is larger than its
 * data, and the files can be read if the writer is killed. dat_assemble.h makes one
 * recording of them.
 *
 * Functions return 0 or more for success and a negative errno.
 */
#ifndef RBMAP_RECORDING_WRITE_DAT_WRITE_H
#define RBMAP_RECORDING_WRITE_DAT_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <rbmap.h>

#include "base/buf.h"
#include "recording/dat_times.h"

struct dat_format {
	const char *system;
	const char *text;		/* contents of the format file */
};

/* The contents of a recording beside its data. */
struct dat_source {
	const char *header_page;
	const char *header_event;
	const struct dat_format *formats;	/* sorted by system */
	size_t nr_formats;
	const struct buf *kallsyms;	/* symbols; NULL: none */
	size_t kallsyms_room;		/* empty lines behind these symbols, in bytes */
	const struct buf *cmdlines;	/* names of threads, until dat_finish(); or NULL */
	const char *clocks;		/* contents of trace_clock */
	const char *uname;
	const char *version;		/* version of the recorder */
	struct dat_times times;		/* those that are known at the beginning */
	size_t page_size;		/* in bytes */
	unsigned int nr_cpus;
	unsigned int max_cpus;		/* with those that dat_add_cpu() can add */
};

/* Print what the kernel's file header_page says about sub-buffers of a size. */
#define DAT_HEADER_PAGE_ROOM	256
void dat_print_header_page(char *text, uint32_t page_size);

struct dat_writer;

/*
 * Create the files, with temporary names beside @path: a file of that name stays until
 * dat_publish(). The file is locked against other recorders (flock) while its descriptor
 * exists. See dat_output_create() for errors.
 */
int dat_create(struct dat_writer **writer, const char *path,
	       const struct dat_source *source);

/*
 * Give the files their names. A file of that name is replaced. dat_finish() does that,
 * too.
 */
int dat_publish(struct dat_writer *writer);
bool dat_published(const struct dat_writer *writer);

/*
 * Add a CPU that was not there at the beginning, and those before it. One thread calls
 * this, while other threads may add data of other CPUs. -E2BIG: the number is not below
 * max_cpus.
 */
int dat_add_cpu(struct dat_writer *writer, unsigned int cpu);
/* Return how many CPUs the files have, also those without data, and those of a failed call. */
unsigned int dat_nr_cpus(const struct dat_writer *writer);

/*
 * Add the new part of a sub-buffer to a CPU's data. Calls for a CPU must come
 * from one thread at a time. sb->lost is reported with the new part.
 *
 * All pages of a file have one size. The events of a larger sub-buffer go to as
 * many pages as they need. An event that is larger than a page is counted and
 * reported as lost. RBMAP_ERR_CORRUPT: no ring writes such a sub-buffer; the
 * file has the events before the error.
 */
int dat_add(struct dat_writer *writer, unsigned int cpu,
	    const struct rbmap_subbuf *sb);

/*
 * Append sub-buffers of the file's page size to a CPU's data, @size bytes from a
 * pipe that rbmap_splice() has filled. After an error, the rest of the pipe is lost;
 * @events is the number of events in all of @size bytes.
 */
int dat_add_pipe(struct dat_writer *writer, unsigned int cpu, int pipe,
		 size_t size, uint64_t events);

/* Set the moment at which the recording ended, before dat_finish(). */
void dat_set_end(struct dat_writer *writer, const struct rbmap_moment *end);

/*
 * Add a text of cgroups_text() or devices_text(), before dat_finish(). The texts share the
 * room for names of threads: all have dat_cmdlines_room() bytes.
 */
void dat_add_table(struct dat_writer *writer, const struct buf *text);

/* Call this before the first sub-buffer of another ring of the CPU. */
void dat_next_ring(struct dat_writer *writer, unsigned int cpu);

/* Added events that the file does not have: */
uint64_t dat_unwritten(const struct dat_writer *writer); /* the disk was full */
uint64_t dat_too_large(const struct dat_writer *writer); /* for the pages */
uint64_t dat_bytes(const struct dat_writer *writer);

/*
 * Write the names of threads and the counters of each CPU. @cpustats has the contents of
 * per_cpu/cpuN/stats for dat_nr_cpus() CPUs; each may be NULL. Always frees the writer, and
 * stores the locked descriptor of FILE, which the caller closes after dat_assemble(). After
 * an error, the files have what was written before.
 */
int dat_finish(struct dat_writer *writer, const struct buf *cmdlines,
	       char *const *cpustats, int *fd);

/* Remove the files, and free the writer. */
void dat_discard(struct dat_writer *writer);

/* Return the most bytes of names and tables that a file can have. Larger texts are left out. */
size_t dat_cmdlines_room(void);

/*
 * Allocate space for names and tables, before dat_finish(). Return how many bytes fit: on a
 * full disk less than @wanted, but no less than dat_create() has allocated, which is enough
 * for the devices and for a thousand threads.
 */
size_t dat_reserve_tables(struct dat_writer *writer, size_t wanted);

#endif /* RBMAP_RECORDING_WRITE_DAT_WRITE_H */
