// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/uplink/clocks.h"
#include "agent/uplink/files.h"
#include "base/array.h"
#include "base/complain.h"
#include "message/message.h"
#include "spool.h"

#define LOCK_FILE	"lock"
#define FULL		"the spool was full"

struct incident *spool_find(struct spool *s, const char *id)
{
	for (size_t i = 0; i < s->nr; i++)
		if (!strcmp(s->v[i].id, id))
			return &s->v[i];
	return NULL;
}

static bool is_older(const struct incident *a, const struct incident *b)
{
	return a->since != b->since ? a->since < b->since : strcmp(a->id, b->id) < 0;
}

int spool_add(struct spool *s, const char *id, uint64_t size, uint64_t since)
{
	struct incident one = { .size = size, .since = since, .permit = UINT64_MAX };
	size_t at = s->nr;

	if (!array_grow(s->v, s->nr))
		return -ENOMEM;
	snprintf(one.id, sizeof(one.id), "%s", id);
	while (at && is_older(&one, &s->v[at - 1])) {
		s->v[at] = s->v[at - 1];
		at--;
	}
	s->v[at] = one;
	s->nr++;
	s->bytes += size;
	return 0;
}

uint64_t spool_parts(const struct incident *i)
{
	return i->size / MESSAGE_PAYLOAD_MAX + !!(i->size % MESSAGE_PAYLOAD_MAX);
}

/*
 * Note the permit in a file, whose time is that of the permit. If that fails, and the agent is
 * killed, the collector sends another permit later.
 */
static void note_permit(struct spool *s, const struct incident *i)
{
	int fd = openat(s->permits, i->id, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
			0640);

	if (fd < 0)
		return;
	futimens(fd, NULL);
	close(fd);
}

int spool_request(struct spool *s, struct incident *i, uint64_t first, uint64_t last)
{
	uint64_t parts = spool_parts(i);

	note_permit(s, i);
	i->requested = true;
	if (!i->wanted)
		i->wanted = calloc(parts / 8 + 1, 1);
	if (!i->wanted)
		return -ENOMEM;
	for (uint64_t part = first; part < parts && part <= last; part++)
		i->wanted[part / 8] |= 1 << part % 8;
	return 0;
}

static void free_request(struct incident *i)
{
	free(i->wanted);
	i->wanted = NULL;
	i->requested = false;
}

void spool_requested_done(struct spool *s, struct incident *i)
{
	if (i->requested)
		files_remove(s->permits, i->id);
	free_request(i);
}

/* Keep the allocation. spool_add() doubles it at powers of two, even if it is large enough. */
static void forget(struct spool *s, struct incident *i)
{
	size_t at = i - s->v;

	spool_requested_done(s, i);
	s->bytes -= i->size;
	s->nr--;
	memmove(i, i + 1, (s->nr - at) * sizeof(*i));
	s->freed = true;
}

/* A state without data would be reported as a loss at the next start. */
void spool_remove(struct spool *s, struct incident *i)
{
	if (files_remove(s->state, i->id) || fsync(s->state))
		complain("cannot remove the incident %s from the spool: %s", i->id,
			 strerror(errno));
	else
		files_remove(s->data, i->id);
	forget(s, i);
}

int spool_manifest(const struct spool *s, const char *id, struct buf *out)
{
	return files_read(s->state, id, out, SPOOL_STATE_MAX);
}

int spool_lose(struct spool *s, struct incident *i, const char *cause)
{
	struct buf manifest = { 0 };
	int ret;

	spool_manifest(s, i->id, &manifest);
	ret = manifest.failed ? -ENOMEM : losses_add(&s->losses, i->id, &manifest, cause);
	buf_free(&manifest);
	if (ret)
		return ret;
	complain("the incident %s is lost: %s", i->id, cause);
	spool_remove(s, i);
	return 0;
}

static struct incident *oldest_idle(struct spool *s)
{
	uint64_t now = clock_monotonic();

	for (size_t i = 0; i < s->nr; i++)
		if (s->v[i].busy_until <= now)
			return &s->v[i];
	return NULL;
}

int spool_make_room(struct spool *s, uint64_t size)
{
	if (size > s->most)
		return -EFBIG;
	while (s->nr && (s->bytes > s->most - size || s->nr >= SPOOL_INCIDENTS_MAX)) {
		struct incident *i = oldest_idle(s);
		int ret = i ? spool_lose(s, i, FULL) : -EBUSY;

		if (ret)
			return ret;
	}
	return 0;
}

/* The lock ends with the process. Unlike flock(), it can be tested without being taken. */
static int take_lock(int dir)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = openat(dir, LOCK_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0640), ret;

	if (fd < 0)
		return -errno;
	if (!fcntl(fd, F_OFD_SETLK, &lock))
		return fd;
	ret = errno == EACCES ? -EAGAIN : -errno;
	close(fd);
	return ret;
}

bool spool_is_locked(int dir)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = openat(dir, LOCK_FILE, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	bool locked = fd >= 0 && !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;

	if (fd >= 0)
		close(fd);
	return locked;
}

static int open_folders(struct spool *s)
{
	struct { int *fd; const char *name; } folders[] = {
		{ &s->taking, "taking" }, { &s->data, "data" }, { &s->state, "state" },
		{ &s->permits, "permits" }, { &s->losses.dir, "losses" }, { &s->answers, "answers" },
	};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		*folders[i].fd = files_open_folder(s->dir, folders[i].name);
		if (*folders[i].fd < 0)
			return *folders[i].fd;
	}
	return 0;
}

static uint64_t mtime_of(const struct stat *st)
{
	return st->st_mtim.tv_sec * 1000000000ULL + st->st_mtim.tv_nsec;
}

/* Finish what a killed process had begun, and add what is complete. */
static int load_one(void *data, int dir, const char *name)
{
	struct spool *s = data;
	struct stat state, file;

	if (!is_source_name(name) || fstatat(dir, name, &state, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (losses_find(&s->losses, name)) {
		files_remove(dir, name);
		return 0;
	}
	if (fstatat(s->data, name, &file, AT_SYMLINK_NOFOLLOW) || !S_ISREG(file.st_mode))
		return 0;
	return spool_add(s, name, file.st_size, mtime_of(&state));
}

/* Go on with what a killed process was sending, unless the permit has ended. */
static int load_permit(void *data, int dir, const char *name)
{
	struct spool *s = data;
	struct incident *i = spool_find(s, name);
	uint64_t now = clock_real();
	struct stat st;

	if (!i || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || mtime_of(&st) > now ||
	    now - mtime_of(&st) > SPOOL_PERMIT_NS) {
		files_remove(dir, name);
		return 0;
	}
	return spool_request(s, i, 0, UINT64_MAX);
}

static int remove_leftover(void *data, int dir, const char *name)
{
	struct spool *s = data;

	if (faccessat(s->state, name, F_OK, AT_SYMLINK_NOFOLLOW))
		files_remove(dir, name);
	return 0;
}

static int check_one(void *data, int dir, const char *name)
{
	struct spool *s = data;
	struct buf manifest = { 0 };

	if (!is_source_name(name) || spool_find(s, name))
		return 0;
	if (!files_read(dir, name, &manifest, SPOOL_STATE_MAX) &&
	    !losses_add(&s->losses, name, &manifest, "the file disappeared from the spool"))
		files_remove(dir, name);
	buf_free(&manifest);
	return 0;
}

static int is_there(void *data, int dir, const char *name)
{
	(void)data;
	(void)dir;
	(void)name;
	return 1;
}

void spool_check(struct spool *s)
{
	if (!files_each(s->taking, is_there, NULL))
		files_each(s->state, check_one, s);
}

/*
 * Read the folders of a spool that was opened, and finish what a killed process had begun. Return
 * 0 or a negative errno.
 */
static int spool_load(struct spool *s)
{
	int ret = losses_load(&s->losses, s->losses.dir);

	files_remove_temporary(s->dir);
	files_remove_temporary(s->taking);
	files_remove_temporary(s->state);
	files_remove_temporary(s->answers);
	if (!ret)
		ret = files_each(s->state, load_one, s);
	if (!ret)
		ret = files_each(s->permits, load_permit, s);
	return ret ? ret : files_each(s->data, remove_leftover, s);
}

bool spool_open(struct spool *s, const char *path, uint64_t most)
{
	int ret;

	*s = (struct spool){ .most = most, .dir = -1, .lock = -1, .taking = -1, .data = -1,
			     .state = -1, .permits = -1, .answers = -1, .losses.dir = -1 };
	s->dir = files_open_folder(AT_FDCWD, path);
	ret = s->dir < 0 ? s->dir : 0;
	if (!ret) {
		s->lock = take_lock(s->dir);
		ret = s->lock < 0 ? s->lock : open_folders(s);
	}
	if (!ret)
		ret = spool_load(s);
	if (!ret)
		return true;
	if (ret == -EAGAIN)
		complain("another agent uses the spool %s: end it, or name another directory with --spool",
			 path);
	else
		complain("cannot use the spool %s: %s: name another directory with --spool", path,
			 strerror(-ret));
	spool_close(s);
	return false;
}

void spool_close(struct spool *s)
{
	int fds[] = { s->taking, s->data, s->state, s->permits, s->answers, s->losses.dir,
		      s->lock, s->dir };

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	for (size_t i = 0; i < s->nr; i++)
		free_request(&s->v[i]);
	free(s->v);
	*s = (struct spool){ .dir = -1 };
}
