// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <fcntl.h>
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
#include "recording/dat_spool.h"
#include "safe_place.h"

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

/* Lock the FILE of before, if there is one, so that nobody else replaces it meanwhile. */
static int lock_old(struct dat_output *o)
{
	struct stat st, directory;

	/* O_NONBLOCK: do not wait for the writer of a FIFO. */
	o->old_fd = openat(o->place.dir, o->place.name,
			   O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (o->old_fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(o->place.dir, &directory) || fstat(o->old_fd, &st))
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

/*
 * Only its owner may read a recording: it has the kernel's addresses. In a directory with
 * the set-group-ID bit, the directory's group may, too.
 */
static int restrict_readers(int fd, int dir)
{
	struct stat directory;

	if (fstat(dir, &directory) || fchmod(fd, directory.st_mode & S_ISGID ? 0640 : 0600))
		return -errno;
	return 0;
}

int dat_output_create(struct dat_output *o, const char *path)
{
	int fd, ret;

	*o = (struct dat_output){ .place = DAT_NO_PLACE, .old_fd = -1 };
	ret = safe_place_find(&o->place, path);
	if (!ret)
		ret = lock_old(o);
	if (ret)
		return ret;
	fd = safe_place_temporary(&o->place, &o->name);
	if (fd < 0)
		return fd;
	ret = restrict_readers(fd, o->place.dir);
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
	return !strcmp(o->name, o->place.name);
}

int dat_output_publish(struct dat_output *o, unsigned int nr_cpus)
{
	unsigned int flags = o->old_fd < 0 ? RENAME_NOREPLACE : 0;
	const char *file = o->place.name;
	int dir = o->place.dir, ret;

	if (dat_output_published(o))
		return 0;
	/* The files of the CPUs of a recorder that was killed belong to the old FILE. */
	dat_spool_remove(dir, file, nr_cpus);
	if (renameat2(dir, o->name, dir, file, flags)) {
		/* Not each file system knows the flag. */
		if (errno == EEXIST)
			return -EBUSY;
		if (errno != EINVAL || renameat(dir, o->name, dir, file))
			return -errno;
	}
	ret = dat_spool_rename(dir, o->name, file, nr_cpus);
	free(o->name);
	o->name = strdup(file);
	if (o->old_fd >= 0)
		close(o->old_fd);
	o->old_fd = -1;
	return o->name ? ret : -ENOMEM;
}

void dat_output_remove(struct dat_output *o, unsigned int nr_cpus)
{
	if (!o->name)
		return;
	dat_spool_remove(o->place.dir, o->name, nr_cpus);
	unlinkat(o->place.dir, o->name, 0);
}

void dat_output_free(struct dat_output *o)
{
	if (o->old_fd >= 0)
		close(o->old_fd);
	dat_place_free(&o->place);
	free(o->name);
}

/* ---- the files of the CPUs */

bool dat_spool_is_name(const char *name, const char *file)
{
	size_t len = strlen(file);

	return !strncmp(name, file, len) && !strncmp(name + len, ".cpu", 4);
}

int dat_spool_create(int dir, const char *file, unsigned int cpu)
{
	char *name = dat_spool_name(file, cpu);
	int fd = -ENOMEM;

	if (!name)
		return fd;
	/* Follow no link that another user has put into a shared directory. */
	if (unlinkat(dir, name, 0) && errno != ENOENT)
		fd = -errno;
	else if ((fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0)
		fd = -errno;
	free(name);
	return fd;
}

int dat_spool_rename(int dir, const char *file, const char *to, unsigned int nr_cpus)
{
	int ret = 0;

	for (unsigned int cpu = 0; !ret && cpu < nr_cpus; cpu++) {
		char *old = dat_spool_name(file, cpu), *new = dat_spool_name(to, cpu);

		if (!old || !new)
			ret = -ENOMEM;
		else if (renameat(dir, old, dir, new))
			ret = -errno;
		free(old);
		free(new);
	}
	return ret;
}

void dat_spool_remove(int dir, const char *file, unsigned int nr_cpus)
{
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++) {
		char *name = dat_spool_name(file, cpu);

		if (name)
			unlinkat(dir, name, 0);
		free(name);
	}
}
