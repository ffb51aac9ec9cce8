// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compact.h"
#include "dat_head.h"
#include "dat_pages.h"
#include "dat_split.h"
#include "dat_write.h"
#include "dat_writer.h"

#define REGION_MAX	(1ULL << 40)
#define REGION_MIN	(1ULL << 26)
#define SMALL_HOLE	(4u << 20)

/* Use one write, so that a kill can hardly leave half of the tail. */
static int write_tail(struct dat_writer *w)
{
	struct buf b = { 0 };
	int ret;

	pthread_mutex_lock(&w->tail_lock);
	dat_add_tail(&b, w);
	if (b.failed)
		ret = -ENOMEM;
	else if (w->tail + b.size > w->tail_end)
		ret = -E2BIG;
	else
		ret = dat_write_at(w->fd, b.data, b.size, w->tail);
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
 * Choose the largest regions that the file system's offsets allow (16 TiB in
 * ext4). This allocates no space.
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
 * Write the headers and zeros for the tail now, so that the end of the
 * recording needs no more space.
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
			      dat_write_at(w->fd, head->data, w->data, 0);
}

static void free_writer(struct dat_writer *w)
{
	for (unsigned int i = 0; w->cpu && i < w->nr_cpus; i++)
		dat_split_free(w->cpu[i].split);
	free(w->cpu);
	free(w->zeroes);
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
	w->zeroes = calloc(1, w->page_size);
	if (!w->clocks || !w->uname || !w->version || !w->cpu || !w->zeroes)
		return -ENOMEM;
	return 0;
}

/*
 * btrfs allocates new space for each overwrite, which fails on a full disk.
 * With this flag on an empty file it writes in place. Other file systems reject
 * the flag.
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

	/* O_NONBLOCK: refuse a pipe without waiting for its reader. */
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
	dat_add_head(&head, source);
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
		/* Free the file's space: a full disk may be the reason. */
		if (ftruncate(w->fd, 0))
			ret = ret ? ret : -errno;
		close(w->fd);
	}
	free_writer(w);
	return ret;
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

/* Let the file system remove each hole, which copies nothing. */
static int collapse_holes(struct dat_writer *w, uint64_t to)
{
	uint64_t shift, size;
	int ret;

	for (unsigned int i = 0; i < w->nr_cpus; i++) {
		size = dat_data_size(w, i);
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

/* Copy the data of each CPU. After each step the file is a valid recording. */
static int copy_over_holes(struct dat_writer *w, uint64_t to)
{
	uint64_t from, size, first = 0;
	bool gone;
	int ret;

	for (unsigned int i = 0; i < w->nr_cpus && !first; i++)
		if (dat_data_size(w, i))
			first = w->cpu[i].offset;
	ret = first > to ? compact_punch(w->fd, to, first - to) : 0;
	if (ret)
		return ret;
	for (unsigned int i = 0; i < w->nr_cpus; i++) {
		size = dat_data_size(w, i);
		from = w->cpu[i].offset;
		if (!size)
			continue;
		/*
		 * A small hole may stay. If the ranges overlap, the file would be
		 * invalid while they are copied.
		 */
		if (from < to + size || from - to <= SMALL_HOLE) {
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

static int remove_holes(struct dat_writer *w, uint64_t end)
{
	uint64_t to = round_up_to(end, COMPACT_ALIGN);
	int ret;

	to = round_up_to(to, w->page_size);
	ret = collapse_holes(w, to);
	if (ret == -EOPNOTSUPP || ret == -EINVAL || ret == -ENOSYS)
		ret = copy_over_holes(w, to);
	if (ret)
		return ret;
	/* CPUs without data get the offset of the end. */
	for (unsigned int i = 0; i < w->nr_cpus; i++)
		if (dat_data_size(w, i) && w->cpu[i].offset + dat_data_size(w, i) > to)
			to = w->cpu[i].offset + dat_data_size(w, i);
	for (unsigned int i = 0; i < w->nr_cpus; i++)
		if (!dat_data_size(w, i))
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
	/* A full disk has no space for a page that reports a loss. */
	for (unsigned int i = 0; !dat_unwritten(w) && i < w->nr_cpus; i++) {
		error = dat_report_last_loss(w, &w->cpu[i]);
		if (!ret)
			ret = error;
	}
	error = write_tail(w);
	if (!ret)
		ret = error;
	dat_add_tail(&tail, w);
	if (!error)
		error = remove_holes(w, w->tail + tail.size);
	/* A file with holes is valid, but looks large. */
	if (!ret && error)
		ret = error == -EIO ? error : 1;
	buf_free(&tail);
	/* Some file systems report a full disk only at close. */
	if (close(w->fd) && !ret)
		ret = -errno;
	free_writer(w);
	return ret;
}
