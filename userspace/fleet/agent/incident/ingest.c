// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/uplink/clocks.h"
#include "agent/uplink/files.h"
#include "base/complain.h"
#include "ingest.h"
#include "message/digest.h"
#include "message/message.h"
#include "sums.h"

#define STEM_MAX	72	/* The longest suffix of a message's id must fit behind the id of an incident. */
#define ID_DIGITS	8
/* The resolution of a file's times is a tick. */
#define TICK_NS		20000000ULL

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
	uint64_t size;
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
