// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat_output.h"
#include "spool_files.h"

/*
 * btrfs allocates new space for each overwrite, which fails on a full disk.
 * With this flag on an empty file it writes in place. Other file systems reject
 * the flag.
 */
static void write_in_place(int fd)
{
	int flags;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags))
		return;
	flags |= FS_NOCOW_FL;
	ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

/* Store the attributes of a file's directory. */
static int stat_directory(const char *path, struct stat *st)
{
	char *copy = strdup(path);
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = stat(dirname(copy), st) ? -errno : 0;
	free(copy);
	return ret;
}

static bool others_can_write(const struct stat *directory)
{
	return directory->st_mode & (S_IWGRP | S_IWOTH) ||
	       (directory->st_uid && directory->st_uid != geteuid());
}

/* The name of a file that does not exist yet, without symbolic links */
static char *resolve_new(const char *path)
{
	char *for_dir = strdup(path), *for_base = strdup(path), *dir = NULL, *file = NULL;

	if (for_dir && for_base)
		dir = realpath(dirname(for_dir), NULL);
	if (dir && asprintf(&file, "%s/%s", dir, basename(for_base)) < 0)
		file = NULL;
	free(for_dir);
	free(for_base);
	free(dir);
	return file;
}

static int check_link(const char *path)
{
	struct stat st, directory;
	int ret;

	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return 0;
	ret = stat_directory(path, &directory);
	if (!ret && others_can_write(&directory))
		ret = -ELOOP;
	return ret;
}

/* Lock the FILE of before, so that nobody else replaces it meanwhile. */
static int lock_old(struct dat_output *o)
{
	struct stat st, directory;
	int ret;

	/* O_NONBLOCK: do not wait for the writer of a FIFO. */
	o->old_fd = open(o->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (o->old_fd < 0)
		return -errno;
	ret = stat_directory(o->file, &directory);
	if (ret)
		return ret;
	if (fstat(o->old_fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -ESPIPE;
	if (st.st_uid != geteuid() && others_can_write(&directory))
		return -EEXIST;
	if (flock(o->old_fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return 0;
}

static int resolve(struct dat_output *o, const char *path)
{
	int ret = check_link(path);

	if (ret)
		return ret;
	o->file = realpath(path, NULL);
	if (o->file)
		return lock_old(o);
	if (errno != ENOENT)
		return -errno;
	o->file = resolve_new(path);
	return o->file ? 0 : -errno;
}

/*
 * Only its owner may read a recording: it has the kernel's addresses. In a directory with
 * the set-group-ID bit, the directory's group may, too.
 */
static int restrict_readers(int fd, const char *file)
{
	struct stat directory;
	int ret = stat_directory(file, &directory);

	if (!ret && fchmod(fd, directory.st_mode & S_ISGID ? 0640 : 0600))
		ret = -errno;
	return ret;
}

int dat_output_create(struct dat_output *o, const char *path)
{
	int fd, ret;

	*o = (struct dat_output){ .old_fd = -1 };
	ret = resolve(o, path);
	if (ret)
		return ret;
	if (asprintf(&o->name, "%s.XXXXXX", o->file) < 0) {
		o->name = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(o->name, O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		free(o->name);
		o->name = NULL;
		return ret;
	}
	ret = restrict_readers(fd, o->file);
	if (!ret && flock(fd, LOCK_EX | LOCK_NB))
		ret = -errno;
	if (ret) {
		close(fd);
		return ret;
	}
	write_in_place(fd);
	return fd;
}

bool dat_output_published(const struct dat_output *o)
{
	return !strcmp(o->name, o->file);
}

int dat_output_publish(struct dat_output *o, unsigned int nr_cpus)
{
	unsigned int flags = o->old_fd < 0 ? RENAME_NOREPLACE : 0;
	int ret;

	if (dat_output_published(o))
		return 0;
	/* The files of the CPUs of a recorder that was killed belong to the old FILE. */
	dat_spool_remove(o->file, nr_cpus);
	if (renameat2(AT_FDCWD, o->name, AT_FDCWD, o->file, flags)) {
		/* Not each file system knows the flag. */
		if (errno == EEXIST)
			return -EBUSY;
		if (errno != EINVAL || rename(o->name, o->file))
			return -errno;
	}
	ret = dat_spool_rename(o->name, o->file, nr_cpus);
	free(o->name);
	o->name = strdup(o->file);
	if (o->old_fd >= 0)
		close(o->old_fd);
	o->old_fd = -1;
	return o->name ? ret : -ENOMEM;
}

void dat_output_remove(struct dat_output *o, unsigned int nr_cpus)
{
	if (!o->name)
		return;
	dat_spool_remove(o->name, nr_cpus);
	unlink(o->name);
}

void dat_output_free(struct dat_output *o)
{
	if (o->old_fd >= 0)
		close(o->old_fd);
	free(o->file);
	free(o->name);
}
