// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dat_head.h"
#include "dat_output.h"
#include "dat_pages.h"
#include "dat_split.h"
#include "dat_write.h"
#include "dat_writer.h"

/* Allocated for names and tables at the beginning: those of a thousand threads and more. */
#define FIRST_ROOM	(128u << 10)

/*
 * Zeroes behind the tail, where the first data goes if the disk is full: a piece of data
 * is copied there, which frees space for the next one.
 */
#define RESERVE		(256u << 10)

static int write_tail(struct dat_writer *w, const struct buf *cmdlines)
{
	static const struct buf no_names;
	struct buf b = { 0 };
	int ret;

	if (!cmdlines || cmdlines->size > COMMS_ROOM)
		cmdlines = &no_names;
	dat_add_tail(&b, w, cmdlines);
	if (b.failed)
		ret = -ENOMEM;
	else if (w->tail + b.size > w->tail_end)
		ret = -E2BIG;
	else
		ret = dat_write_at(w->fd, b.data, b.size, w->tail);
	buf_free(&b);
	return ret;
}

size_t dat_cmdlines_room(void)
{
	return COMMS_ROOM;
}

/* Write the same byte to a part of the file. */
static int write_byte(int fd, char byte, uint64_t from, uint64_t to)
{
	char bytes[16384];
	int ret = 0;

	memset(bytes, byte, sizeof(bytes));
	for (; from < to && !ret; from += sizeof(bytes))
		ret = dat_write_at(fd, bytes, to - from < sizeof(bytes) ? to - from : sizeof(bytes),
				   from);
	return ret;
}

/* Allocate a part of the file, which has zeros. Not each file system can without a write. */
static int allocate(int fd, uint64_t from, uint64_t to)
{
	if (!fallocate(fd, 0, from, to - from))
		return 0;
	return errno == EOPNOTSUPP || errno == ENOSYS ? write_byte(fd, 0, from, to) : -errno;
}

/* Most threads that end a recording were there at its beginning. */
static size_t first_room(const struct buf *names)
{
	size_t room = FIRST_ROOM + 8 * names->size;

	return room < COMMS_ROOM ? room : COMMS_ROOM;
}

/*
 * Write the headers, and allocate zeros for the tail now, so that the end of the
 * recording needs no more space. The first zeros say that there are no printk formats.
 */
static int reserve_head(struct dat_writer *w, const struct buf *head, size_t kallsyms_room)
{
	uint64_t lines_end = head->size + kallsyms_room;
	size_t room = OPTIONS_ROOM + strlen(w->clocks) + strlen(w->uname) +
		      ((size_t)w->max_cpus + 1) * (CPUSTAT_ROOM + 32);
	int ret;

	w->tables_room = first_room(&w->names);
	w->tail = lines_end + sizeof(uint32_t);
	w->allocated = w->tail + room + w->tables_room + RESERVE;
	w->tail_end = w->tail + room + COMMS_ROOM;
	ret = allocate(w->fd, 0, w->allocated);
	if (!ret)
		ret = dat_write_at(w->fd, head->data, head->size, 0);
	return ret ? ret : write_byte(w->fd, '\n', head->size, lines_end);
}

size_t dat_reserve_tables(struct dat_writer *w, size_t wanted)
{
	size_t more = wanted > w->tables_room ? wanted - w->tables_room : 0;

	if (!more)
		return wanted;
	if (wanted > COMMS_ROOM || allocate(w->fd, w->allocated, w->allocated + more))
		return w->tables_room;
	w->allocated += more;
	w->tables_room += more;
	return wanted;
}

static void free_writer(struct dat_writer *w)
{
	for (unsigned int i = 0; w->cpu && i < w->max_cpus; i++) {
		dat_split_free(w->cpu[i].split);
		if (w->cpu[i].fd >= 0)
			close(w->cpu[i].fd);
	}
	free(w->cpu);
	dat_output_free(&w->output);
	free(w->zeroes);
	buf_free(&w->names);
	buf_free(&w->tables);
	free(w->clocks);
	free(w->uname);
	free(w->version);
	free(w);
}

static int init_writer(struct dat_writer *w, const struct dat_source *source)
{
	w->fd = -1;
	w->output.old_fd = -1;
	w->output.place = DAT_NO_PLACE;
	w->page_size = source->page_size;
	w->max_cpus = source->max_cpus > source->nr_cpus ? source->max_cpus : source->nr_cpus;
	if (source->cmdlines)
		buf_add(&w->names, source->cmdlines->data, source->cmdlines->size);
	w->times = source->times;
	w->clocks = strdup(source->clocks);
	w->uname = strdup(source->uname);
	w->version = strdup(source->version);
	w->cpu = calloc(w->max_cpus, sizeof(*w->cpu));
	w->zeroes = calloc(1, w->page_size);
	if (!w->clocks || !w->uname || !w->version || !w->cpu || !w->zeroes ||
	    w->names.failed)
		return -ENOMEM;
	for (unsigned int i = 0; i < w->max_cpus; i++)
		w->cpu[i].fd = -1;
	return 0;
}

/* The files that were created count, also after an error. */
static int create_spools(struct dat_writer *w, unsigned int nr_cpus)
{
	while (w->nr_cpus < nr_cpus) {
		int fd = dat_spool_create(w->output.place.dir, w->output.name, w->nr_cpus);

		if (fd < 0)
			return fd;
		w->cpu[w->nr_cpus++].fd = fd;
	}
	return 0;
}

static int create_files(struct dat_writer *w, const char *path, unsigned int nr_cpus)
{
	int ret = dat_output_create(&w->output, path);

	if (ret < 0)
		return ret;
	w->fd = ret;
	return create_spools(w, nr_cpus);
}

static void drop_files(struct dat_writer *w)
{
	dat_output_remove(&w->output, w->nr_cpus);
	if (w->fd >= 0)
		close(w->fd);
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
	if (!ret)
		ret = create_files(w, path, source->nr_cpus);
	if (!ret) {
		dat_add_head(&head, source);
		ret = head.failed ? -ENOMEM : reserve_head(w, &head, source->kallsyms_room);
		buf_free(&head);
	}
	if (!ret)
		ret = write_tail(w, &w->names);
	if (ret) {
		drop_files(w);
		free_writer(w);
		return ret;
	}
	*writer = w;
	return 0;
}

/* The tail has the number of CPUs. It comes last: a killed recorder leaves all files. */
int dat_add_cpu(struct dat_writer *w, unsigned int cpu)
{
	int ret;

	if (cpu < w->nr_cpus)
		return 0;
	if (cpu >= w->max_cpus)
		return -E2BIG;
	ret = create_spools(w, cpu + 1);
	return ret ? ret : write_tail(w, &w->names);
}

unsigned int dat_nr_cpus(const struct dat_writer *w)
{
	return w->nr_cpus;
}

int dat_publish(struct dat_writer *w)
{
	return dat_output_publish(&w->output, w->nr_cpus);
}

bool dat_published(const struct dat_writer *w)
{
	return dat_output_published(&w->output);
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
		sum += dat_data_size(w, i);
	return sum;
}

void dat_add_table(struct dat_writer *w, const struct buf *text)
{
	buf_add(&w->tables, text->data, text->size);
	if (text->size)
		buf_add(&w->tables, "", 1);
}

void dat_set_end(struct dat_writer *w, const struct rbmap_moment *end)
{
	w->times.end = *end;
}

static int end_cpu(struct dat_writer *w, unsigned int cpu)
{
	struct dat_cpu *c = &w->cpu[cpu];
	int ret = 0;

	/* An error can leave a part of a page. Its events were counted as unwritten. */
	if (ftruncate(c->fd, dat_data_size(w, cpu)))
		ret = -errno;
	/* Some file systems report a full disk only at close. */
	if (close(c->fd) && !ret)
		ret = -errno;
	c->fd = -1;
	return ret;
}

int dat_finish(struct dat_writer *w, const struct buf *cmdlines,
	       char *const *cpustats, int *fd)
{
	int ret = 0, error;

	w->cpustats = cpustats;
	/* A full disk has no space for a page that reports a loss. */
	for (unsigned int i = 0; !dat_unwritten(w) && i < w->nr_cpus; i++) {
		error = dat_report_last_loss(w, &w->cpu[i]);
		if (!ret)
			ret = error;
	}
	error = write_tail(w, cmdlines);
	if (!ret)
		ret = error;
	for (unsigned int i = 0; i < w->nr_cpus; i++) {
		error = end_cpu(w, i);
		if (!ret)
			ret = error;
	}
	error = dat_publish(w);
	if (!ret)
		ret = error;
	*fd = w->fd;
	free_writer(w);
	return ret;
}

void dat_discard(struct dat_writer *w)
{
	drop_files(w);
	free_writer(w);
}
