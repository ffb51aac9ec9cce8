// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/uplink/clocks.h"
#include "agent/uplink/files.h"
#include "spool.h"

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

int spool_load(struct spool *s)
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
