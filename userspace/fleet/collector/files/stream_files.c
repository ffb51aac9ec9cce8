// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "files.h"
#include "message/message.h"
#include "stream_files.h"

#define FILE_MODE	0640
#define DIRECTORY_FLAGS	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define HEAD		"head."
#define NEW_HEAD	".new-head"
#define NAME_SIZE	32

/* Open a directory, and close @at. @make: make it if it is not there. */
static int enter(int at, const char *name, bool make)
{
	int dir;

	if (at < 0)
		return at;
	dir = make ? files_directory(at, name) : openat(at, name, DIRECTORY_FLAGS);
	if (!make && dir < 0)
		dir = -errno;
	close(at);
	return dir;
}

static int enter_buffer(const struct stream_files *f, const char *host, const char *boot,
			const char *buffer, bool make)
{
	int dir = fcntl(f->dir, F_DUPFD_CLOEXEC, 0);

	if (dir < 0)
		return -errno;
	dir = enter(dir, host, make);
	dir = enter(dir, boot, make);
	return enter(dir, buffer, make);
}

int stream_files_open(struct stream_files *f, const char *dir)
{
	int base = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*f = (struct stream_files){ .dir = base < 0 ? -errno : enter(base, "streams", true) };
	return f->dir < 0 ? f->dir : 0;
}

void stream_files_close(struct stream_files *f)
{
	stream_files_drop(f);
	if (f->dir > 0)
		close(f->dir);
	f->dir = -1;
}

static int create(const struct stream_files *f, const char *host,
		  const struct index_stream_file *file)
{
	int dir = enter_buffer(f, host, file->boot, file->buffer, true), fd;
	char name[NAME_SIZE];

	if (dir < 0)
		return dir;
	snprintf(name, sizeof(name), "%" PRIu64, file->number);
	/* A killed collector can have left bytes that the index does not know. */
	fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC |
		    (file->size ? 0 : O_TRUNC), FILE_MODE);
	if (fd < 0)
		fd = -errno;
	else if (!file->size && fsync(dir)) {
		close(fd);
		fd = -EIO;
	}
	close(dir);
	return fd;
}

static int open_one(struct stream_files *f, const char *host,
		    const struct index_stream_file *file)
{
	int fd;

	for (unsigned int i = 0; i < f->nr; i++)
		if (f->open[i].id == file->id)
			return f->open[i].fd;
	if (f->nr == FILES_OPEN_MAX)
		return -EMFILE;
	fd = create(f, host, file);
	if (fd < 0)
		return fd;
	f->open[f->nr].id = file->id;
	f->open[f->nr++].fd = fd;
	return fd;
}

int stream_files_append(struct stream_files *f, const char *host,
			struct index_stream_file *file, const void *message, size_t size)
{
	uint32_t head = htole32(size);
	int fd = open_one(f, host, file), ret;

	if (fd < 0)
		return fd;
	ret = write_all_at(fd, &head, sizeof(head), file->size);
	if (!ret)
		ret = write_all_at(fd, message, size, file->size + sizeof(head));
	if (!ret)
		file->size += sizeof(head) + size;
	return ret;
}

int stream_files_sync(struct stream_files *f)
{
	int ret = 0;

	for (unsigned int i = 0; i < f->nr && !ret; i++)
		if (fdatasync(f->open[i].fd))
			ret = -errno;
	stream_files_drop(f);
	return ret;
}

void stream_files_drop(struct stream_files *f)
{
	while (f->nr)
		close(f->open[--f->nr].fd);
}

/* Remove the oldest heads of a buffer beyond the limit. */
static void trim_heads(int dir)
{
	uint64_t oldest, number;
	int fd, nr;

	do {
		char name[NAME_SIZE + sizeof(HEAD)];
		struct dirent *entry;
		DIR *d;

		oldest = UINT64_MAX;
		nr = 0;
		fd = openat(dir, ".", DIRECTORY_FLAGS);
		d = fd < 0 ? NULL : fdopendir(fd);
		while (d && (entry = readdir(d))) {
			if (strncmp(entry->d_name, HEAD, strlen(HEAD)) ||
			    !text_u64(entry->d_name + strlen(HEAD), &number))
				continue;
			nr++;
			oldest = number < oldest ? number : oldest;
		}
		if (d)
			closedir(d);
		snprintf(name, sizeof(name), HEAD "%" PRIu64, oldest);
		if (nr > INDEX_HEADS_MAX && unlinkat(dir, name, 0))
			break;
	} while (nr > INDEX_HEADS_MAX);
}

static int replace(int dir, const char *name, const void *data, size_t size)
{
	int fd = openat(dir, NEW_HEAD, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
			FILE_MODE), ret;

	if (fd < 0)
		return -errno;
	ret = write_all_at(fd, data, size, 0);
	if (!ret && fsync(fd))
		ret = -errno;
	close(fd);
	if (!ret && (renameat(dir, NEW_HEAD, dir, name) || fsync(dir)))
		ret = -errno;
	return ret;
}

int stream_files_head(struct stream_files *f, const char *host, const char *boot,
		      const struct stream_source *source, const void *message, size_t size)
{
	int dir = enter_buffer(f, host, boot, source->buffer, true), ret;
	char name[NAME_SIZE + sizeof(HEAD)];

	if (dir < 0)
		return dir;
	snprintf(name, sizeof(name), HEAD "%" PRIu64, source->incarnation);
	ret = replace(dir, name, message, size);
	trim_heads(dir);
	close(dir);
	return ret;
}

/* Remove the folder of a buffer, of its boot and of its host, those that are empty. */
static void remove_folders(const struct stream_files *f, const char *host, const char *boot,
			   const char *buffer)
{
	char path[HOST_NAME_SIZE + BOOT_ID_SIZE + STREAM_BUFFER_SIZE];
	char *end;

	snprintf(path, sizeof(path), "%s/%s/%s", host, boot, buffer);
	while (!unlinkat(f->dir, path, AT_REMOVEDIR) && (end = strrchr(path, '/')))
		*end = '\0';
}

int stream_files_remove(struct stream_files *f, const char *host,
			const struct index_stream_file *file)
{
	int dir = enter_buffer(f, host, file->boot, file->buffer, false), ret = 0;
	char name[NAME_SIZE];

	if (dir < 0)
		return dir == -ENOENT ? 0 : dir;
	snprintf(name, sizeof(name), "%" PRIu64, file->number);
	if (unlinkat(dir, name, 0) && errno != ENOENT)
		ret = -errno;
	close(dir);
	remove_folders(f, host, file->boot, file->buffer);
	return ret;
}

static bool is_of_stream(const char *name)
{
	uint64_t number;

	if (!strncmp(name, HEAD, strlen(HEAD)))
		name += strlen(HEAD);
	return text_u64(name, &number) || !strcmp(name, NEW_HEAD);
}

int stream_files_remove_buffer(struct stream_files *f, const char *host, const char *boot,
			       const char *buffer)
{
	int fd = enter_buffer(f, host, boot, buffer, false), ret = 0;
	struct dirent *entry;
	DIR *d;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return -ENOMEM;
	}
	while (!ret && (entry = readdir(d)))
		if (is_of_stream(entry->d_name) && unlinkat(fd, entry->d_name, 0) &&
		    errno != ENOENT)
			ret = -errno;
	closedir(d);
	remove_folders(f, host, boot, buffer);
	return ret;
}
