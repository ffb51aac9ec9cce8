// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/files.h"
#include "setup_files.h"

#define COPY_MAX	(64 << 10)

int files_folder(int dir, const char *name)
{
	int fd;

	if (mkdirat(dir, name, 0700) && errno != EEXIST) {
		complain("cannot make the folder %s: %s", name, strerror(errno));
		return -1;
	}
	fsync(dir);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		complain("cannot open the folder %s: %s", name, strerror(errno));
	return fd;
}

bool files_have(int dir, const char *name)
{
	return !faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* Return 0 or a negative errno. */
static int write_new(int dir, const char *name, const void *data, size_t size, mode_t mode)
{
	int fd, ret;

	/* Left by a setup that was killed */
	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	ret = write_all(fd, data, size);
	if (!ret && fsync(fd))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

bool files_write(int dir, const char *name, const void *data, size_t size, mode_t mode,
		 bool replace)
{
	char temporary[256];
	int ret;

	snprintf(temporary, sizeof(temporary), ".new-%s", name);
	ret = write_new(dir, temporary, data, size, mode);
	if (!ret && renameat2(dir, temporary, dir, name, replace ? 0 : RENAME_NOREPLACE))
		ret = -errno;
	if (!ret && fsync(dir))
		ret = -errno;
	if (!ret)
		return true;
	unlinkat(dir, temporary, 0);
	complain("cannot write %s: %s", name, strerror(-ret));
	return false;
}

bool setup_file_copy(int from, const char *name, int to)
{
	char bytes[COPY_MAX];
	int fd = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

	if (size < 0 || size == sizeof(bytes))
		complain("cannot read %s: %s", name, size < 0 ? strerror(errno) : "it is too large");
	if (fd >= 0)
		close(fd);
	return size >= 0 && size < (ssize_t)sizeof(bytes) &&
	       files_write(to, name, bytes, size, 0644, true);
}
