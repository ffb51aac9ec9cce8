// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/files.h"
#include "copy.h"
#include "message/digest.h"

#define TEMPORARY	".new-"

int copy_directory(const char *path)
{
	int dir = -1;

	if (!mkdir(path, 0750) || errno == EEXIST)
		dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		complain("cannot open the directory %s: %s", path, strerror(errno));
	return dir;
}

int copy_folder(int dir, const char *host, const char *where)
{
	int folder = -1;

	if (!mkdirat(dir, host, 0750) || errno == EEXIST)
		folder = openat(dir, host, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		complain("cannot open the directory %s/%s: %s", where, host, strerror(errno));
	return folder;
}

void copy_path(char path[COPY_PATH_SIZE], const char *host, const char *name)
{
	snprintf(path, COPY_PATH_SIZE, "%s/%s", host, name);
}

bool copy_is_new(int dir, const char *name, const char *where)
{
	if (faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) && errno == ENOENT)
		return true;
	complain("%s/%s exists: remove it, or name another directory with --output", where, name);
	return false;
}

static int begin(int dir, const char *name, char temporary[COPY_NAME_SIZE + 8])
{
	snprintf(temporary, COPY_NAME_SIZE + 8, TEMPORARY "%s", name);
	unlinkat(dir, temporary, 0);
	return openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
}

/* Give the file its name, unless there is such a file since copy_is_new(). */
static bool finish(int dir, const char *name, const char *temporary, int fd, bool good)
{
	good = good && !fsync(fd);
	good = !close(fd) && good;
	good = good && !renameat2(dir, temporary, dir, name, RENAME_NOREPLACE) && !fsync(dir);
	if (!good) {
		int error = errno;

		unlinkat(dir, temporary, 0);
		errno = error;
	}
	return good;
}

/* An error of the file concerns one host, and one of the copy all of them. */
static int failed(const char *name, const char *path, int from, int error)
{
	char sum[DIGEST_TEXT_SIZE];
	bool reads = !checksum_file(from, -1, sum);

	complain("cannot %s %s: %s", reads ? "write" : "read", reads ? name : path, strerror(error));
	return reads ? STATUS_ERROR : STATUS_CUT;
}

static int copy_open_file(int dir, const char *name, const char *path, int from,
			  const char *sha256)
{
	char temporary[COPY_NAME_SIZE + 8], sum[DIGEST_TEXT_SIZE] = "";
	int fd = begin(dir, name, temporary), ret;
	bool is_same;

	ret = fd < 0 ? -errno : checksum_file(from, fd, sum);
	is_same = !ret && !strcmp(sum, sha256);
	if (fd >= 0 && !finish(dir, name, temporary, fd, is_same) && is_same)
		ret = -errno;
	if (ret)
		return failed(name, path, from, -ret);
	if (!is_same)
		complain("%s is damaged: its SHA-256 is wrong", path);
	return is_same ? STATUS_OK : STATUS_CUT;
}

int copy_file(int dir, const char *name, const char *path, const char *sha256)
{
	int from = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), status;

	if (from < 0) {
		complain("cannot read %s: %s", path, strerror(errno));
		return STATUS_CUT;
	}
	status = copy_open_file(dir, name, path, from, sha256);
	close(from);
	return status;
}

bool copy_text(int dir, const char *name, const struct buf *text, const char *where)
{
	char temporary[COPY_NAME_SIZE + 8];
	int fd = text->failed ? -1 : begin(dir, name, temporary);

	if (fd >= 0 && finish(dir, name, temporary, fd, !write_all(fd, text->data, text->size)))
		return true;
	complain("cannot write %s/%s: %s", where, name, strerror(text->failed ? ENOMEM : errno));
	return false;
}
