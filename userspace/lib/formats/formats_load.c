// SPDX-License-Identifier: LGPL-2.1-only
/* Read the formats of the files below an events directory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"

#define EVENTS_DIR	"/sys/kernel/rbmap/events"
#define TEXT_MAX	(1u << 20)	/* bytes; the kernel's formats are far shorter */

/* Read a file, which does not say how long it is. Return the bytes, or a negative errno. */
static ssize_t read_all(int fd, char *text, size_t room)
{
	size_t size = 0;

	while (size < room) {
		ssize_t got = read(fd, text + size, room - size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return size;
		size += got;
	}
	return -EFBIG;
}

/* Return 1 if a format was added. Files that are missing or invalid are left out. */
static int load_event(struct rbmap_formats *formats, int dir, const char *system,
		      const char *event, char *text)
{
	int events = openat(dir, event, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = events < 0 ? -1 : openat(events, "format", O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -ENOENT : read_all(fd, text, TEXT_MAX);
	int ret = size < 0 ? 0 : rbmap_formats_add(formats, system, text, size);

	if (fd >= 0)
		close(fd);
	if (events >= 0)
		close(events);
	return ret == -ENOMEM ? ret : size >= 0 && !ret;
}

static bool is_hidden(const struct dirent *entry)
{
	return entry->d_name[0] == '.';
}

static int load_system(struct rbmap_formats *formats, int events, const char *system, char *text)
{
	int fd = openat(events, system, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0, nr = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (ret >= 0 && (entry = readdir(dir))) {
		if (is_hidden(entry))
			continue;
		ret = load_event(formats, fd, system, entry->d_name, text);
		nr += ret > 0;
	}
	closedir(dir);
	return ret < 0 ? ret : nr;
}

static int load_systems(struct rbmap_formats *formats, DIR *dir, char *text)
{
	struct dirent *entry;
	int ret = 0, nr = 0;

	while (ret >= 0 && (entry = readdir(dir))) {
		if (is_hidden(entry))
			continue;
		ret = load_system(formats, dirfd(dir), entry->d_name, text);
		nr += ret > 0 ? ret : 0;
	}
	return ret < 0 ? ret : nr;
}

RBMAP_API int rbmap_formats_load(struct rbmap_formats *formats, const char *path)
{
	DIR *dir = opendir(path ? path : EVENTS_DIR);
	char *text;
	int ret;

	if (!dir)
		return !path && errno == ENOENT ? RBMAP_ERR_NOT_LOADED : -errno;
	text = malloc(TEXT_MAX);
	ret = text ? load_systems(formats, dir, text) : -ENOMEM;
	free(text);
	closedir(dir);
	return ret;
}
