// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/uplink/clocks.h"
#include "agent/uplink/files.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/complain.h"
#include "base/files.h"
#include "intake.h"
#include "message/digest.h"
#include "message/message.h"
#include "sums.h"

#define STEM_MAX	72	/* The longest suffix of a message's id must fit behind the id of an incident. */
#define ID_DIGITS	8
/* The resolution of a file's times is a tick. */
#define TICK_NS		20000000ULL
#define FILE_NAME	"taken"
#define SIZE_MOST	(16U << 20)
#define NAME_SIZE	256

static int copy_file(struct spool *s, const char *name, int fd, bool (*stopped)(void))
{
	return files_copy(fd, s->taking, name, stopped);
}

int ingest_link(struct spool *s, int dir, const char *name, int fd, bool (*stopped)(void))
{
	struct stat of_fd, of_link;

	if (linkat(dir, name, s->taking, name, 0) && errno != EEXIST)
		/* Other file systems, and those without links. */
		return errno == EXDEV || errno == EPERM || errno == EMLINK ||
		       errno == EOPNOTSUPP ? copy_file(s, name, fd, stopped) : -errno;
	if (fstat(fd, &of_fd) || fstatat(s->taking, name, &of_link, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (of_fd.st_ino != of_link.st_ino || of_fd.st_dev != of_link.st_dev) {
		files_remove(s->taking, name);
		return -EAGAIN;
	}
	/* A recording whose data is not on the disk would be empty after a loss of power. */
	return fsync(fd) || fsync(s->taking) ? -errno : 0;
}

static void make_id(char id[SOURCE_NAME_SIZE], const char *name, const char *digits)
{
	size_t len = strlen(name);
	char stem[STEM_MAX + 1];

	if (len > 4 && !strcmp(name + len - 4, ".dat"))
		len -= 4;
	if (len > STEM_MAX)
		len = STEM_MAX;
	for (size_t i = 0; i < len; i++) {
		char one[2] = { name[i], '\0' };

		stem[i] = one[0] == '.' || is_source_name(one) ? one[0] : '_';
	}
	stem[len] = '\0';
	snprintf(id, SOURCE_NAME_SIZE, "%s-%.*s", stem, ID_DIGITS, digits);
}

/* Return whether the recorder began this file after the command came. */
static bool is_wanted(const struct ingest_wanted *w, const struct sums *sums,
		      const struct stat *st)
{
	uint64_t trigger = sums->moment[RBMAP_MOMENT_TRIGGER].real;

	if (!w || w->found)
		return false;
	if (trigger)
		return trigger >= w->since;
	return st->st_mtim.tv_sec * 1000000000ULL + st->st_mtim.tv_nsec + TICK_NS >= w->since;
}

static void found(struct ingest_wanted *w, const char *id, const struct sums *sums)
{
	w->found = true;
	snprintf(w->id, sizeof(w->id), "%s", id);
	w->has_oldest = sums->readable && sums->events &&
			sums_real(sums, sums->first, &w->oldest);
}

static void add_manifest(struct buf *out, const char *name, uint64_t size, const char *digits,
			 const struct sums *sums, const char *command)
{
	text_add(out, "file", name);
	text_add_u64(out, "size", size);
	text_add(out, "sha256", digits);
	text_add_u64(out, "parts", (size + MESSAGE_PAYLOAD_MAX - 1) / MESSAGE_PAYLOAD_MAX);
	sums_add(out, sums);
	clock_add_error(out);
	if (command)
		text_add(out, "command", command);
}

/* The spool has no room for the incident, and never will. */
static int lose(struct spool *s, const char *name, const char *id, const struct buf *manifest)
{
	int ret = losses_add(&s->losses, id, manifest, "the file is larger than the spool");

	if (ret)
		return ret;
	complain("the incident %s is lost: its file is larger than the spool: use a larger --spool-size",
		 id);
	return files_remove(s->taking, name);
}

/* Write the state, and give the file its name. A crash after any step repeats the rest. */
static int store(struct spool *s, const char *name, const char *id, uint64_t size,
		 const struct buf *manifest)
{
	int ret = files_replace(s->state, id, manifest->data, manifest->size, true);

	if (!ret && renameat(s->taking, name, s->data, id))
		ret = -errno;
	if (!ret && (fsync(s->data) || fsync(s->taking)))
		ret = -errno;
	return ret ? ret : spool_add(s, id, size, clock_real());
}

static int take_file(struct spool *s, const char *name, int fd, struct ingest_wanted *w,
		     bool (*stopped)(void))
{
	char digits[DIGEST_TEXT_SIZE], id[SOURCE_NAME_SIZE];
	struct buf manifest = { 0 };
	struct sums sums;
	struct stat st;
	uint64_t size = 0;
	bool wanted;
	int ret = fstat(fd, &st) ? -errno : digest_file(fd, digits, &size, stopped);

	if (!ret)
		ret = sums_read(&sums, fd, stopped);
	if (ret)
		return ret;
	make_id(id, name, digits);
	/* A process took the file before, and was killed before it could note that. */
	if (spool_find(s, id) || losses_find(&s->losses, id))
		return files_remove(s->taking, name);
	wanted = is_wanted(w, &sums, &st);
	add_manifest(&manifest, name, size, digits, &sums, wanted ? w->command : NULL);
	ret = manifest.failed ? -ENOMEM : spool_make_room(s, size);
	if (!ret)
		ret = store(s, name, id, size, &manifest);
	else if (ret == -EFBIG)
		ret = lose(s, name, id, &manifest);
	buf_free(&manifest);
	if (!ret && wanted)
		found(w, id, &sums);
	return ret;
}

int ingest_incident(struct spool *s, const char *name, struct ingest_wanted *w,
		    bool (*stopped)(void))
{
	int fd = openat(s->taking, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = take_file(s, name, fd, w, stopped);
	close(fd);
	return ret;
}

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
