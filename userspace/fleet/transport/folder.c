// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/files.h"
#include "folder.h"
#include "message/message.h"
#include "transport.h"

#define TEMPORARY	".new-"

static int by_name(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

void folder_names_free(struct folder_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->name[i]);
	free(names->name);
	*names = (struct folder_names){ 0 };
}

static int add_name(struct folder_names *names, const char *name)
{
	if (!array_grow(names->name, names->nr))
		return -ENOMEM;
	names->name[names->nr] = strdup(name);
	if (!names->name[names->nr])
		return -ENOMEM;
	names->nr++;
	return 0;
}

int folder_list(int dir, size_t most, struct folder_names *names)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	*names = (struct folder_names){ 0 };
	if (!list) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && names->nr < most && (entry = readdir(list)))
		if (strlen(entry->d_name) < MESSAGE_ID_SIZE && *entry->d_name != '.')
			ret = add_name(names, entry->d_name);
	closedir(list);
	if (ret)
		folder_names_free(names);
	else if (names->nr)
		qsort(names->name, names->nr, sizeof(*names->name), by_name);
	return ret;
}

int folder_write(int dir, const char *id, const void *data, size_t size)
{
	char name[sizeof(TEMPORARY) + MESSAGE_ID_SIZE];
	int fd, ret;

	snprintf(name, sizeof(name), TEMPORARY "%s", id);
	/* A file that a killed process has left is not a message. */
	if (unlinkat(dir, name, 0) && errno != ENOENT)
		return -errno;
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
	if (fd < 0)
		return -errno;
	/* The group of the directory reads it, whatever the umask is. */
	ret = fchmod(fd, 0640) ? -errno : write_all(fd, data, size);
	if (!ret && fsync(fd))
		ret = -errno;
	/* NFS reports some errors only here. */
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && renameat(dir, name, dir, id))
		ret = -errno;
	if (ret)
		unlinkat(dir, name, 0);
	return ret;
}

static int read_bytes(int fd, char *data, size_t size)
{
	while (size) {
		ssize_t done = read(fd, data, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EBADMSG;
		data += done;
		size -= done;
	}
	return 0;
}

/* Store the bytes only if all of them were read: others can cut the file meanwhile. */
static int read_file(int fd, void **data, size_t *size)
{
	struct stat st;
	void *bytes;
	int ret;

	if (fstat(fd, &st))
		return -errno;
	/* A folder cannot be removed as a message is. */
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > MESSAGE_SIZE_MAX)
		return -EBADMSG;
	bytes = malloc(st.st_size);
	if (!bytes)
		return -ENOMEM;
	ret = read_bytes(fd, bytes, st.st_size);
	if (ret) {
		free(bytes);
		return ret;
	}
	*data = bytes;
	*size = st.st_size;
	return 0;
}

int folder_read(int dir, const char *id, void **data, size_t *size)
{
	/* Others write here: do not wait at a FIFO, and do not follow a link. */
	int fd = openat(dir, id, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), ret;

	if (fd < 0)
		return errno == ELOOP || errno == ENXIO ? -EBADMSG : -errno;
	ret = read_file(fd, data, size);
	close(fd);
	return ret;
}

void folder_remove_old(int dir, long seconds)
{
	struct folder_names names;
	time_t now = time(NULL);
	struct stat st;

	if (folder_list(dir, FOLDER_MESSAGES_MAX, &names))
		return;
	for (size_t i = 0; i < names.nr; i++)
		if (!fstatat(dir, names.name[i], &st, AT_SYMLINK_NOFOLLOW) &&
		    now - st.st_mtime > seconds)
			unlinkat(dir, names.name[i], 0);
	folder_names_free(&names);
}
