// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "dat_assemble.h"
#include "recording/dat_reader.h"
#include "recording/dat_spool.h"
#include "recording/write/dat_output.h"
#include "recording/write/dat_pages.h"
#include "recording/write/safe_place.h"

/* ---- join the files of the CPUs with the recording */

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

/*
 * Move the data of an unfinished recording from the files of the CPUs to the recording,
 * and mark it as finished. Each step leaves an unfinished recording that can be read, and
 * joined later. This works on a full disk, too: each piece that was copied frees space for
 * the next one. @fd: the recording, for writing. Return 0, 1 if @go_on has stopped the work,
 * or a negative errno.
 */
static int dat_join(struct rbmap_recording *r, int fd, dat_go_on_fn *go_on, void *data)
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

/* ---- assemble */

static int open_unfinished(struct rbmap_recording **r, int fd, const struct dat_place *place,
			   bool symbols)
{
	int ret = dat_open_at(r, fd, place, symbols);

	if (ret || (*r)->damage.unfinished)
		return ret;
	rbmap_recording_close(*r);
	return DAT_ERR_COMPLETE;
}

static int lock(int fd, const struct dat_place *place)
{
	struct rbmap_recording *r;
	int ret = open_unfinished(&r, fd, place, false);

	if (ret)
		return ret;
	rbmap_recording_close(r);
	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? DAT_ERR_BUSY : -errno;
	return 0;
}

/* Open and lock the file of a place. */
static int lock_place(const struct dat_place *place)
{
	/* O_NONBLOCK: do not wait for the reader of a FIFO. */
	int fd = openat(place->dir, place->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int ret = fd < 0 ? -errno : lock(fd, place);

	if (!ret)
		return fd;
	if (fd >= 0)
		close(fd);
	return ret;
}

int dat_lock(const char *path)
{
	struct dat_place place;
	int ret = safe_place_find(&place, path);

	if (ret)
		return ret;
	ret = lock_place(&place);
	dat_place_free(&place);
	return ret;
}

/* Rename the file and those of its CPUs in its directory. */
static int move(const struct dat_place *from, const char *to)
{
	int fd = openat(from->dir, from->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int ret = fd < 0 ? -errno : 0;
	struct rbmap_recording *r;

	if (!ret)
		ret = open_unfinished(&r, fd, from, false);
	if (fd >= 0)
		close(fd);
	if (ret)
		return ret;
	if (renameat2(from->dir, from->name, from->dir, to, RENAME_NOREPLACE))
		ret = -errno;
	else
		ret = dat_spool_rename(from->dir, from->name, to, r->nr_cpus);
	rbmap_recording_close(r);
	return ret;
}

int dat_adopt(const char *temporary, const char *path)
{
	struct dat_place from, to = DAT_NO_PLACE;
	int ret = safe_place_find(&from, temporary);

	if (!ret)
		ret = safe_place_find(&to, path);
	if (!ret)
		ret = move(&from, to.name);
	if (!ret)
		ret = lock_place(&to);
	dat_place_free(&from);
	dat_place_free(&to);
	return ret;
}

/*
 * The files of the CPUs become part of the recording, and are freed piece by piece. They
 * must be the recorder's, and not links to another file of somebody else.
 */
static int check_spools(const struct rbmap_recording *r)
{
	struct stat file, spool;

	if (fstat(r->fd, &file))
		return -errno;
	for (uint32_t i = 0; i < r->nr_cpus; i++) {
		if (r->cpu[i].spool < 0)
			continue;
		if (fstat(r->cpu[i].spool, &spool))
			return -errno;
		if (spool.st_uid != file.st_uid || spool.st_nlink > 1)
			return -EPERM;
	}
	return 0;
}

static int use_pages(struct rbmap_recording *r, const struct dat_cpu_reader *c,
		     struct symbol_use *use)
{
	uint64_t all = dat_pages_size(r, c);
	void *page = malloc(r->page_size);
	int ret = page ? 0 : -ENOMEM;

	for (uint64_t at = 0; at < all && !ret; at += r->page_size) {
		ret = dat_read_pages(r, c, page, r->page_size, at);
		if (!ret)
			ret = symbol_use_add_page(use, page, r->page_size);
	}
	free(page);
	return ret;
}

static int use_all(struct rbmap_recording *r, struct symbol_use *use)
{
	int ret = 0;

	for (size_t i = 0; i < r->nr_formats && !ret; i++)
		ret = symbol_use_add_format(use, r->format[i].text);
	for (uint32_t i = 0; i < r->nr_cpus && symbol_use_any(use) && !ret; i++)
		if (r->cpu[i].limit)
			ret = use_pages(r, &r->cpu[i], use);
	return ret;
}

/* Write symbols to their place, as many lines as it has room for. */
static int put_symbols(const struct rbmap_recording *r, struct dat_assembly *a,
		       const struct buf *text)
{
	uint64_t place = r->part[DAT_OPTION_KALLSYMS - DAT_OPTION_HEADER_INFO];
	size_t size = text->size;

	if (size > r->kallsyms.size) {
		for (size = r->kallsyms.size; size && text->data[size - 1] != '\n';)
			size--;
		a->left_out += text->size - size;
	}
	return size ? dat_write_at(a->fd, text->data, size, place + sizeof(uint32_t)) : 0;
}

/* In a file of version 6 the symbols come before the events. */
static int add_symbols(struct rbmap_recording *r, struct dat_assembly *a)
{
	struct symbol_use *use = symbol_use_new();
	struct buf text = { 0 };
	int ret = use ? use_all(r, use) : -ENOMEM;

	a->left_out = 0;
	if (!ret)
		ret = symbol_use_read(use, a->read, &text);
	if (!ret)
		ret = put_symbols(r, a, &text);
	if (use)
		a->left_out += symbol_use_left_out(use);
	symbol_use_free(use);
	buf_free(&text);
	return ret;
}

static int assemble(struct rbmap_recording *r, struct dat_assembly *a)
{
	int ret = check_spools(r);

	if (ret)
		return ret;
	if (a->compress)
		ret = dat_compress(r, a);
	if (ret == -ESTALE)
		return ret;
	if (ret < 0)
		a->compress_error = ret;
	if (!a->compress || a->compress_error) {
		if (a->read)
			a->symbols_error = add_symbols(r, a);
		ret = dat_join(r, a->fd, a->go_on, a->data);
		/* Events do not go to a recording that has lost its name. */
		if (!ret && !dat_place_has(&r->place, a->fd))
			ret = -ESTALE;
	}
	if (!ret)
		dat_spool_remove(r->place.dir, r->place.name, r->nr_cpus);
	return ret;
}

int dat_assemble(const char *path, struct dat_assembly *a)
{
	struct dat_place place;
	struct rbmap_recording *r;
	int ret = safe_place_find(&place, path);

	a->compress_error = 0;
	a->symbols_error = 0;
	a->left_out = 0;
	if (ret)
		return ret;
	/* Somebody can have put another file there since this one was locked. */
	ret = dat_place_has(&place, a->fd) ? open_unfinished(&r, a->fd, &place, !a->read) : -ESTALE;
	if (!ret) {
		ret = assemble(r, a);
		rbmap_recording_close(r);
	}
	dat_place_free(&place);
	return ret;
}
