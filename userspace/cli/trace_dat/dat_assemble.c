// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "dat_assemble.h"
#include "dat_compress.h"
#include "dat_join.h"
#include "recording/dat_reader.h"
#include "spool_files.h"

static int open_unfinished(struct dat_reader **r, const char *path)
{
	int ret = dat_open(r, path);

	if (ret || (*r)->damage.unfinished)
		return ret;
	dat_close(*r);
	return DAT_ERR_COMPLETE;
}

int dat_lock(const char *path)
{
	struct dat_reader *r;
	int fd, ret = open_unfinished(&r, path);

	if (ret)
		return ret;
	fd = open(r->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		ret = -errno;
	else if (flock(fd, LOCK_EX | LOCK_NB))
		ret = errno == EWOULDBLOCK ? DAT_ERR_BUSY : -errno;
	dat_close(r);
	if (!ret)
		return fd;
	if (fd >= 0)
		close(fd);
	return ret;
}

int dat_adopt(const char *temporary, const char *path)
{
	struct dat_reader *r;
	int ret = open_unfinished(&r, temporary);

	if (ret)
		return ret;
	if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE))
		ret = -errno;
	else
		ret = dat_spool_rename(temporary, path, r->nr_cpus);
	dat_close(r);
	return ret ? ret : dat_lock(path);
}

int dat_assemble(const char *path, struct dat_assembly *a)
{
	struct dat_reader *r;
	int ret = open_unfinished(&r, path);

	a->compress_error = 0;
	if (ret)
		return ret;
	if (a->compress)
		ret = dat_compress(r, a->go_on, a->data);
	if (ret < 0)
		a->compress_error = ret;
	if (!a->compress || a->compress_error)
		ret = dat_join(r, a->go_on, a->data);
	if (!ret)
		dat_spool_remove(r->path, r->nr_cpus);
	dat_close(r);
	return ret;
}
