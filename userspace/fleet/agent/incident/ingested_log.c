// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/uplink/files.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/files.h"
#include "ingested_log.h"

#define FILE_NAME	"taken"
#define SIZE_MOST	(16U << 20)
#define NAME_SIZE	256

static int64_t mtime_of(const struct stat *st)
{
	return st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec;
}

/* Return the index of a name, or the index at which to insert it. */
static size_t place_of(const struct ingested_log *t, const char *name)
{
	size_t low = 0, high = t->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(t->v[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct ingested_file *find(const struct ingested_log *t, const char *name)
{
	size_t at = place_of(t, name);

	return at < t->nr && !strcmp(t->v[at].name, name) ? &t->v[at] : NULL;
}

/* Insert a name. Return its entry, or NULL: out of memory. */
static struct ingested_file *insert(struct ingested_log *t, const char *name)
{
	size_t at = place_of(t, name);
	char *copy = strdup(name);

	if (!copy || !array_grow_from(t->v, t->nr, 1)) {
		free(copy);
		return NULL;
	}
	memmove(&t->v[at + 1], &t->v[at], (t->nr - at) * sizeof(*t->v));
	t->nr++;
	t->v[at] = (struct ingested_file){ .name = copy };
	return &t->v[at];
}

static int load_line(struct ingested_log *t, const char *line)
{
	struct ingested_file one = { 0 }, *f;
	char name[NAME_SIZE];

	if (sscanf(line, "%" SCNu64 " %" SCNd64 " %" SCNu64 " %255[^\n]", &one.inode, &one.mtime,
		   &one.size, name) != 4)
		return 0;
	f = find(t, name);
	if (!f)
		f = insert(t, name);
	if (!f)
		return -ENOMEM;
	one.name = f->name;
	*f = one;
	return 0;
}

int ingested_log_load(struct ingested_log *t, int dir)
{
	struct buf text = { 0 };
	char *line, *save;
	int ret;

	*t = (struct ingested_log){ .dir = dir };
	ret = files_read(dir, FILE_NAME, &text, SIZE_MOST);
	if (ret == -ENOENT)
		return 0;
	buf_add(&text, "", 1);
	if (!ret && text.failed)
		ret = -ENOMEM;
	for (line = ret ? NULL : strtok_r(text.data, "\n", &save); line && !ret;
	     line = strtok_r(NULL, "\n", &save))
		ret = load_line(t, line);
	buf_free(&text);
	return ret;
}

void ingested_log_free(struct ingested_log *t)
{
	for (size_t i = 0; i < t->nr; i++)
		free(t->v[i].name);
	free(t->v);
	*t = (struct ingested_log){ 0 };
}

bool ingested_log_has(struct ingested_log *t, const char *name, const struct stat *st)
{
	struct ingested_file *f = find(t, name);

	if (!f || f->inode != st->st_ino || f->mtime != mtime_of(st) ||
	    f->size != (uint64_t)st->st_size)
		return false;
	f->seen = true;
	return true;
}

/* An empty line first: a loss of power can leave a part of the last one. */
static int append(const struct ingested_log *t, const struct ingested_file *f)
{
	int fd = openat(t->dir, FILE_NAME, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC), ret;
	struct buf line = { 0 };

	if (fd < 0)
		return -errno;
	buf_printf(&line, "\n%" PRIu64 " %" PRId64 " %" PRIu64 " %s\n", f->inode, f->mtime,
		   f->size, f->name);
	ret = line.failed ? -ENOMEM : write_all(fd, line.data, line.size);
	if (!ret && fdatasync(fd))
		ret = -errno;
	buf_free(&line);
	close(fd);
	return ret;
}

int ingested_log_add(struct ingested_log *t, const char *name, const struct stat *st)
{
	struct ingested_file *f = find(t, name);

	if (!f)
		f = insert(t, name);
	if (!f)
		return -ENOMEM;
	f->inode = st->st_ino;
	f->mtime = mtime_of(st);
	f->size = st->st_size;
	f->seen = true;
	t->changed = true;
	/* The first file of all makes the list. */
	return append(t, f) ? ingested_log_save(t) : 0;
}

void ingested_log_prune(struct ingested_log *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->nr; i++) {
		if (!t->v[i].seen) {
			free(t->v[i].name);
			t->changed = true;
			continue;
		}
		t->v[i].seen = false;
		t->v[kept++] = t->v[i];
	}
	/* array_grow_from() allocates at powers of two: shrink the array to the power for its number. */
	t->nr = kept;
	if (!kept) {
		free(t->v);
		t->v = NULL;
	} else {
		size_t room = 1;
		struct ingested_file *less;

		while (room < kept)
			room *= 2;
		less = realloc(t->v, room * sizeof(*less));
		t->v = less ? less : t->v;
	}
}

int ingested_log_save(struct ingested_log *t)
{
	struct buf text = { 0 };
	int ret;

	if (!t->changed)
		return 0;
	for (size_t i = 0; i < t->nr; i++)
		buf_printf(&text, "%" PRIu64 " %" PRId64 " %" PRIu64 " %s\n", t->v[i].inode,
			   t->v[i].mtime, t->v[i].size, t->v[i].name);
	ret = text.failed ? -ENOMEM : files_replace(t->dir, FILE_NAME, text.data, text.size, true);
	t->changed = ret != 0;
	buf_free(&text);
	return ret;
}
