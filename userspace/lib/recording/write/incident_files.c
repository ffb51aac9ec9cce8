// SPDX-License-Identifier: LGPL-2.1-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/complain.h"
#include "dat_output.h"
#include "incident_files.h"

#define NAME_FORMAT	"%Y-%m-%dT%H.%M.%S"

/* Store the first name that no file has: "STEM.dat", "STEM.1.dat" and so on. */
static int name_by_time(const struct incident_files *f, char *path, size_t size)
{
	time_t seconds = time(NULL);
	struct tm tm;
	char stem[64];
	int len;

	if (!localtime_r(&seconds, &tm) || !strftime(stem, sizeof(stem), NAME_FORMAT, &tm))
		return -1;
	len = snprintf(path, size, "%s/%s.dat", f->dir, stem);
	for (unsigned int i = 1; (size_t)len < size && !access(path, F_OK); i++)
		len = snprintf(path, size, "%s/%s.%u.dat", f->dir, stem, i);
	return len;
}

static int name_by_number(struct incident_files *f, char *path, size_t size)
{
	int len = snprintf(path, size, "%s", f->output);

	while (f->nr && (size_t)len < size) {
		len = snprintf(path, size, "%s.%u", f->output, f->next_number++);
		if (access(path, F_OK))
			break;
	}
	return len;
}

bool incident_files_name(struct incident_files *f, char *path, size_t size)
{
	int len = f->dir ? name_by_time(f, path, size) : name_by_number(f, path, size);

	if (len >= 0 && (size_t)len < size)
		return true;
 complain("the name of the file is too long: give a shorter one with %s",
		 f->dir ? "--directory" : "-o");
	return false;
}

/* ---- files that are removed */
struct incident {
	char *name;
	struct timespec time;
	uint64_t kb;
};

struct incidents {
	struct incident *v;
	size_t nr;
};

/* Call @each for a recording, and for the files of its CPUs until it is assembled. */
static void each_part(int dir, const char *of,
		      void (*each)(int dir, const char *name, void *data), void *data)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!list) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(list)))
		if (!strcmp(entry->d_name, of) || dat_spool_is_name(entry->d_name, of))
			each(dir, entry->d_name, data);
	closedir(list);
}

static void add_size(int dir, const char *name, void *data)
{
	uint64_t *kb = data;
	struct stat st;

	if (!fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		*kb += st.st_blocks / 2;
}

static void remove_part(int dir, const char *name, void *data)
{
	int *ret = data;

	if (unlinkat(dir, name, 0) && errno != ENOENT)
		*ret = -errno;
}

int incident_files_remove(int dir, const char *name)
{
	int ret = 0;

	each_part(dir, name, remove_part, &ret);
	return ret;
}

struct data_of {
	const char *recording;
	uint64_t bytes;
};

static void add_data(int dir, const char *name, void *data)
{
	struct data_of *of = data;
	struct stat st;

	if (strcmp(name, of->recording) && !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		of->bytes += st.st_size;
}

uint64_t incident_files_data(int dir, const char *name)
{
	struct data_of of = { .recording = name };

	each_part(dir, name, add_data, &of);
	return of.bytes;
}

/* Its descriptor is locked until it is written and assembled. */
static bool is_in_use(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool in_use;

	if (fd < 0)
		return false;
	in_use = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return in_use;
}

static bool add_incident(struct incidents *all, int dir, const char *name)
{
	struct incident *more;
	struct stat st;

	if (!array_grow(all->v, all->nr))
		return false;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
	    is_in_use(dir, name))
		return true;
	more = &all->v[all->nr];
	*more = (struct incident){ .name = strdup(name), .time = st.st_mtim };
	if (!more->name)
		return false;
	each_part(dir, name, add_size, &more->kb);
	all->nr++;
	return true;
}

static int by_age(const void *left, const void *right)
{
	const struct incident *a = left, *b = right;

	if (a->time.tv_sec != b->time.tv_sec)
		return a->time.tv_sec < b->time.tv_sec ? -1 : 1;
	if (a->time.tv_nsec != b->time.tv_nsec)
		return a->time.tv_nsec < b->time.tv_nsec ? -1 : 1;
	return strcmp(a->name, b->name);
}

static bool find_incidents(struct incidents *all, DIR *list)
{
	struct dirent *entry;

	while ((entry = readdir(list)))
		if (!fnmatch(INCIDENT_NAME_PATTERN, entry->d_name, 0) &&
		    !add_incident(all, dirfd(list), entry->d_name))
			return false;
	if (all->nr)
		qsort(all->v, all->nr, sizeof(*all->v), by_age);
	return true;
}

static void remove_incident(const struct incident_files *f, int dir, const char *name)
{
	int ret = incident_files_remove(dir, name);

	if (ret)
		complain("cannot remove the old recording %s/%s: %s", f->dir, name,
			 strerror(-ret));
}

static void remove_too_many(const struct incident_files *f, int dir,
			    const struct incidents *all)
{
	uint64_t kb = 0;

	for (size_t i = 0; i < all->nr; i++)
		kb += all->v[i].kb;
	for (size_t i = 0; i + 1 < all->nr; i++) {
		if ((!f->keep || all->nr - i <= f->keep) && (!f->keep_kb || kb <= f->keep_kb))
			break;
		remove_incident(f, dir, all->v[i].name);
		kb -= all->v[i].kb;
	}
}

void incident_files_remove_old(const struct incident_files *f)
{
	struct incidents all = { 0 };
	DIR *list;

	if (!f->dir || (!f->keep && !f->keep_kb))
		return;
	list = opendir(f->dir);
	if (!list) {
		complain("cannot read %s: %s", f->dir, strerror(errno));
		return;
	}
	if (find_incidents(&all, list))
		remove_too_many(f, dirfd(list), &all);
	else
		complain("out of memory");
	for (size_t i = 0; i < all.nr; i++)
		free(all.v[i].name);
	free(all.v);
	closedir(list);
}
