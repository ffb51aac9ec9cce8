// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat_assemble.h"
#include "dat_compress.h"
#include "dat_join.h"
#include "recording/dat_reader.h"
#include "recording/write/dat_pages.h"
#include "recording/write/safe_place.h"
#include "recording/write/spool_files.h"

static int open_unfinished(struct rbmap_recording **r, int fd, const struct dat_place *place)
{
	int ret = dat_open_at(r, fd, place);

	if (ret || (*r)->damage.unfinished)
		return ret;
	rbmap_recording_close(*r);
	return DAT_ERR_COMPLETE;
}

static int lock(int fd, const struct dat_place *place)
{
	struct rbmap_recording *r;
	int ret = open_unfinished(&r, fd, place);

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
		ret = open_unfinished(&r, fd, from);
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
	ret = dat_place_has(&place, a->fd) ? open_unfinished(&r, a->fd, &place) : -ESTALE;
	if (!ret) {
		ret = assemble(r, a);
		rbmap_recording_close(r);
	}
	dat_place_free(&place);
	return ret;
}
