// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "dat_join.h"
#include "recording/dat_reader.h"
#include "recording/dat_spool.h"
#include "recording/write/dat_pages.h"

/*
 * A piece is half as large as the zeroes that dat_create() leaves for it, because a copy
 * needs space for its metadata, too.
 */
#define PIECE		(128u << 10)
#define SPARE_SPACE	(16ull << 20)
#define ALIGN		65536u	/* the largest block of a file system */

struct join {
	struct rbmap_recording *r;
	int fd;			/* the recording, for writing */
	void *piece;
	uint64_t done, all;	/* bytes of all CPUs */
	dat_go_on_fn *go_on;
	void *data;
};

/* Where the data of a CPU is moved from, and to. */
struct source {
	const struct dat_cpu_reader *c;
	unsigned int cpu;
	int fd;			/* the CPU's file, for writing */
	bool keep;		/* there is space for a copy */
	uint64_t offset;	/* where the recording has the data */
};

static bool has_space(int fd, uint64_t size)
{
	struct statvfs st;

	if (fstatvfs(fd, &st))
		return false;
	/* A tmpfs without a limit reports no blocks. */
	return !st.f_blocks ||
	       (uint64_t)st.f_bavail * st.f_frsize > size + SPARE_SPACE;
}

static int write_entry(const struct join *j, unsigned int cpu, uint64_t offset,
		       uint64_t size)
{
	uint64_t entry[] = { offset, size };

	return dat_write_at(j->fd, entry, sizeof(entry),
			    j->r->table + cpu * sizeof(entry));
}

/* Let the file system share or copy the blocks if it can. Otherwise copy whole pages. */
static int copy_piece(const struct join *j, const struct source *s, uint64_t at, size_t size)
{
	off_t in = at, out = s->offset + at;
	size_t left = size;
	int ret;

	while (left && s->c->limit >= at + size) {
		ssize_t done = copy_file_range(s->c->spool, &in, j->fd, &out, left, 0);

		if (done <= 0)
			break;
		left -= done;
	}
	if (!left)
		return 0;
	ret = dat_read_pages(j->r, s->c, j->piece, size, at);
	return ret ? ret : dat_write_at(j->fd, j->piece, size, s->offset + at);
}

static int free_piece(const struct source *s, uint64_t at, size_t size)
{
	return fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, size) ?
	       -errno : 0;
}

static int move_pieces(struct join *j, const struct source *s, uint64_t all)
{
	size_t piece = round_up_to(PIECE, j->r->page_size);
	int ret = 0;

	for (uint64_t at = s->c->size; at < all && !ret;) {
		size_t size = all - at < piece ? all - at : piece;

		ret = copy_piece(j, s, at, size);
		if (!ret && !s->keep)
			ret = write_entry(j, s->cpu, s->offset, at + size);
		if (!ret && !s->keep)
			ret = free_piece(s, at, size);
		at += size;
		j->done += size;
		if (!ret && !j->go_on(j->data, (double)j->done / j->all))
			ret = 1;
	}
	return ret;
}

/* Open the CPU's file for writing: the one that is open for reading, and no other one. */
static int open_again(const struct rbmap_recording *r, unsigned int cpu)
{
	struct stat before, now;
	uint64_t size;
	int fd = dat_spool_open(&r->place, cpu, O_RDWR, &size);

	if (fd < 0 || (!fstat(fd, &now) && !fstat(r->cpu[cpu].spool, &before) &&
		       now.st_dev == before.st_dev && now.st_ino == before.st_ino))
		return fd;
	close(fd);
	return -ESTALE;
}

/* Move the data of a CPU to @offset, unless a part of it is in the recording already. */
static int move_cpu(struct join *j, unsigned int cpu, uint64_t offset, uint64_t *end)
{
	const struct dat_cpu_reader *c = &j->r->cpu[cpu];
	uint64_t all = dat_pages_size(j->r, c);
	struct source s = { .c = c, .cpu = cpu, .fd = -1, .offset = offset };
	int ret = 0;

	if (c->size)
		s.offset = c->offset;
	*end = s.offset + all;
	if (all > c->size) {
		s.keep = has_space(j->fd, all - c->size);
		s.fd = s.keep ? -1 : open_again(j->r, cpu);
		if (!s.keep && s.fd < 0)
			return s.fd;
		ret = move_pieces(j, &s, all);
	}
	if (!ret)
		ret = write_entry(j, cpu, s.offset, all);
	if (s.fd >= 0)
		close(s.fd);
	return ret;
}

static int mark_finished(const struct join *j)
{
	static const char zeroes[sizeof(DAT_UNFINISHED) - 1];

	return dat_write_at(j->fd, zeroes, sizeof(zeroes), j->r->unfinished);
}

static int sync_data(const struct join *j)
{
	return fdatasync(j->fd) ? -errno : 0;
}

static int move_all(struct join *j)
{
	const struct rbmap_recording *r = j->r;
	uint64_t end = r->table + r->nr_cpus * 16ull;
	int ret = 0;

	for (uint32_t i = 0; i < r->nr_cpus && !ret; i++) {
		uint64_t offset = end;

		/* Aligned blocks can be shared. */
		if (r->cpu[i].limit)
			offset = round_up_to(round_up_to(end, ALIGN), r->page_size);
		ret = move_cpu(j, i, offset, &end);
	}
	if (!ret && ftruncate(j->fd, end))
		ret = -errno;
	/* An unfinished recording can be joined again, if the disk does not take this one. */
	if (!ret)
		ret = sync_data(j);
	if (!ret)
		ret = mark_finished(j);
	/* The files of the CPUs are removed next. */
	return ret ? ret : sync_data(j);
}

int dat_join(struct rbmap_recording *r, int fd, dat_go_on_fn *go_on, void *data)
{
	struct join j = { .r = r, .fd = fd, .go_on = go_on, .data = data };
	int ret;

	for (uint32_t i = 0; i < r->nr_cpus; i++)
		j.all += dat_pages_size(r, &r->cpu[i]) - r->cpu[i].size;
	j.piece = malloc(round_up_to(PIECE, r->page_size));
	ret = j.piece ? move_all(&j) : -ENOMEM;
	free(j.piece);
	return ret;
}
