// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "files.h"

#define FOLDER_FLAGS	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define NEW_FLAGS	(O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
#define COPY_BYTES	(64 << 10)

int files_open_folder(int dir, const char *name)
{
	int fd = openat(dir, name, FOLDER_FLAGS);

	if (fd >= 0 || errno != ENOENT)
		return fd < 0 ? -errno : fd;
	if (mkdirat(dir, name, 0750) && errno != EEXIST)
		return -errno;
	fd = dir == AT_FDCWD ? 0 : sync_new_name(dir, name, AT_REMOVEDIR);
	if (fd)
		return fd;
	fd = openat(dir, name, FOLDER_FLAGS);
	return fd < 0 ? -errno : fd;
}

/* Store the temporary name of a file, and remove what a killed process has left there. */
static int temporary_name(int dir, const char *name, char *temporary, size_t size)
{
	if (snprintf(temporary, size, FILES_TEMPORARY "%s", name) >= (int)size)
		return -ENAMETOOLONG;
	return files_remove(dir, temporary);
}

/* End the writing of a new file: it gets its name if all went well. */
static int finish_new(int fd, int error, int dir, const char *temporary, const char *name,
		      bool durable)
{
	if (!error && durable && fsync(fd))
		error = -errno;
	if (close(fd) && !error)
		error = -errno;
	if (!error && renameat(dir, temporary, dir, name))
		error = -errno;
	if (error)
		unlinkat(dir, temporary, 0);
	else if (durable && fsync(dir))
		error = -errno;
	return error;
}

int files_replace(int dir, const char *name, const char *data, size_t size, bool durable)
{
	char temporary[NAME_MAX + 1];
	int fd, ret = temporary_name(dir, name, temporary, sizeof(temporary));

	if (ret)
		return ret;
	fd = openat(dir, temporary, NEW_FLAGS, 0640);
	if (fd < 0)
		return -errno;
	return finish_new(fd, write_all(fd, data, size), dir, temporary, name, durable);
}

static int read_all(int fd, struct buf *to, size_t most)
{
	struct stat st;
	size_t left;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size < 0 || (uint64_t)st.st_size > most)
		return -EFBIG;
	for (left = st.st_size; left;) {
		char *room = buf_room(to, left);
		ssize_t got = room ? read(fd, room, left) : -1;

		if (!room)
			return -ENOMEM;
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;
		buf_end(to, room + got);
		left -= got;
	}
	return 0;
}

int files_read(int dir, const char *name, struct buf *to, size_t most)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = read_all(fd, to, most);
	close(fd);
	return ret;
}

int files_remove(int dir, const char *name)
{
	return unlinkat(dir, name, 0) && errno != ENOENT ? -errno : 0;
}

static int each_entry(int dir, bool hidden, files_each_fn *each, void *data)
{
	int fd = openat(dir, ".", FOLDER_FLAGS), ret = 0;
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!list) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && (entry = readdir(list)))
		if ((*entry->d_name == '.') == hidden)
			ret = each(data, dir, entry->d_name);
	closedir(list);
	return ret;
}

int files_each(int dir, files_each_fn *each, void *data)
{
	return each_entry(dir, false, each, data);
}

static int remove_one(void *data, int dir, const char *name)
{
	(void)data;
	if (!strncmp(name, FILES_TEMPORARY, strlen(FILES_TEMPORARY)))
		files_remove(dir, name);
	return 0;
}

void files_remove_temporary(int dir)
{
	each_entry(dir, true, remove_one, NULL);
}

static int copy_bytes(int from, int to, bool (*stopped)(void))
{
	char bytes[COPY_BYTES];
	off_t at = 0;

	for (;;) {
		ssize_t got = pread(from, bytes, sizeof(bytes), at);
		int ret;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;
		ret = stopped() ? -EINTR : write_all(to, bytes, got);
		if (ret)
			return ret;
		at += got;
	}
}

int files_copy(int from, int dir, const char *name, bool (*stopped)(void))
{
	char temporary[NAME_MAX + 1];
	struct stat st;
	int fd, ret = temporary_name(dir, name, temporary, sizeof(temporary));

	if (ret)
		return ret;
	fd = openat(dir, temporary, NEW_FLAGS, 0600);
	if (fd < 0)
		return -errno;
	ret = copy_bytes(from, fd, stopped);
	/* The copy keeps the time of the file, which is that of the incident. */
	if (!ret && !fstat(from, &st))
		futimens(fd, (struct timespec[]){ st.st_atim, st.st_mtim });
	return finish_new(fd, ret, dir, temporary, name, true);
}
