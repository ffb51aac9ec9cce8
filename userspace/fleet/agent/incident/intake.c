// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/uplink/clocks.h"
#include "agent/uplink/files.h"
#include "intake.h"
#include "recording/write/incident_files.h"
#include "sums.h"

#define SECOND		1000000000ULL
#define LOOK		(60 * SECOND)	/* with inotify */
#define LOOK_OFTEN	(5 * SECOND)	/* without, or if something could not be taken */
#define SETTLED		(2 * SECOND)

static void watch(struct intake *in)
{
	if (in->inotify >= 0 && in->watch < 0)
		in->watch = inotify_add_watch(in->inotify, in->path,
					      IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR);
}

/* Return whether an event came. Read and drop all events. */
static bool events_came(struct intake *in)
{
	char bytes[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	bool came = false;
	ssize_t got;

	while (in->inotify >= 0 && (got = read(in->inotify, bytes, sizeof(bytes))) > 0) {
		came = true;
		for (char *at = bytes; at < bytes + got;) {
			const struct inotify_event *ev = (struct inotify_event *)at;

			/* The directory was removed, or its file system unmounted. */
			if (ev->mask & IN_IGNORED)
				in->watch = -1;
			at += sizeof(*ev) + ev->len;
		}
	}
	return came;
}

bool intake_due(struct intake *in)
{
	return events_came(in) || clock_monotonic() >= in->next || in->spool->freed;
}

/* Look again soon. */
static void look_at(struct intake *in, uint64_t after)
{
	uint64_t at = clock_monotonic() + after;

	if (at < in->next)
		in->next = at;
}

/* Somebody may still be copying a file that is not a complete recording. */
static bool is_settled(const struct stat *st)
{
	uint64_t changed = st->st_ctim.tv_sec * SECOND + st->st_ctim.tv_nsec, now = clock_real();

	return now < changed || now - changed >= SETTLED;
}

static bool is_ready(struct intake *in, int fd, const struct stat *st)
{
	switch (sums_state(fd)) {
	case SUMS_COMPLETE:
		return true;
	case SUMS_UNFINISHED:
		return false;
	case SUMS_DAMAGED:
		break;
	}
	if (is_settled(st))
		return true;
	in->unsettled++;
	look_at(in, SETTLED);
	return false;
}

static void failed(struct intake *in, const char *name, int error)
{
	look_at(in, LOOK_OFTEN);
	if (error == -EINTR || error == -EAGAIN || error == -EBUSY)
		return;
	backoff_failed(&in->full, "cannot take %s/%s into the spool: %s", in->path, name,
		       strerror(-error));
}

/* Return whether the file is an incident now. */
static bool take(struct intake *in, const char *name, struct ingest_wanted *wanted)
{
	int ret = ingest_incident(in->spool, name, wanted, in->stopped);

	if (ret)
		failed(in, name, ret);
	else
		backoff_over(&in->full, "the spool");
	return !ret;
}

static int open_recording(int dir, const char *name, struct stat *st)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (!fstat(fd, st) && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	return -1;
}

/* The note that a file was taken follows the link, which is complete without it. */
static bool take_new(struct intake *in, int dir, const char *name, struct ingest_wanted *wanted)
{
	struct stat st;
	int fd = open_recording(dir, name, &st), ret;
	bool done = false;

	if (fd < 0)
		return false;
	if (is_ready(in, fd, &st)) {
		ret = ingest_link(in->spool, dir, name, fd, in->stopped);
		if (!ret)
			ret = ingested_log_add(&in->ingested, name, &st);
		if (ret)
			failed(in, name, ret);
		else
			done = take(in, name, wanted);
	}
	close(fd);
	return done;
}

static bool has_control_character(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			return true;
	return false;
}

static int is_incident(const struct dirent *entry)
{
	return !fnmatch(INCIDENT_NAME_PATTERN, entry->d_name, 0) &&
	       !has_control_character(entry->d_name);
}

/* Names are times, so the oldest file comes first. */
static unsigned int look(struct intake *in, int dir, struct ingest_wanted *wanted)
{
	struct dirent **list;
	unsigned int ingested = 0;
	int nr = scandirat(dir, ".", &list, is_incident, alphasort);
	struct stat st;

	if (nr < 0) {
		backoff_failed(&in->backoff, "cannot read %s: %s", in->path, strerror(errno));
		return 0;
	}
	for (int i = 0; i < nr; i++) {
		const char *name = list[i]->d_name;

		if (!in->stopped() && !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
		    !ingested_log_has(&in->ingested, name, &st))
			ingested += take_new(in, dir, name, wanted);
		free(list[i]);
	}
	free(list);
	if (!in->stopped())
		ingested_log_prune(&in->ingested);
	if (ingested_log_save(&in->ingested))
		look_at(in, LOOK_OFTEN);
	backoff_over(&in->backoff, in->path);
	return ingested;
}

struct leftovers {
	struct intake *in;
	struct ingest_wanted *wanted;
	unsigned int ingested;
};

static int take_leftover(void *data, int dir, const char *name)
{
	struct leftovers *l = data;

	(void)dir;
	l->ingested += take(l->in, name, l->wanted);
	return l->in->stopped();
}

/* Take files for which the spool was full before, and those that a killed process has left. */
static unsigned int take_leftovers(struct intake *in, struct ingest_wanted *wanted)
{
	struct leftovers l = { .in = in, .wanted = wanted };

	files_each(in->spool->taking, take_leftover, &l);
	return l.ingested;
}

unsigned int intake_run(struct intake *in, struct ingest_wanted *wanted)
{
	unsigned int ingested;
	int dir;

	in->spool->freed = false;
	in->unsettled = 0;
	watch(in);
	in->next = clock_monotonic() + (in->watch >= 0 ? LOOK : LOOK_OFTEN);
	ingested = take_leftovers(in, wanted);
	dir = open(in->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0) {
		backoff_failed(&in->backoff, "cannot read the incidents in %s: %s", in->path,
			       strerror(errno));
		return ingested;
	}
	ingested += look(in, dir, wanted);
	close(dir);
	/* Reading a recording can take much memory. Return it to the system. */
	if (ingested)
		malloc_trim(0);
	return ingested;
}

bool intake_begin(struct intake *in, const char *path, struct spool *spool,
		  bool (*stopped)(void))
{
	int ret;

	*in = (struct intake){ .path = path, .spool = spool, .watch = -1, .stopped = stopped };
	in->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	ret = ingested_log_load(&in->ingested, spool->dir);
	if (ret) {
		backoff_failed(&in->full, "cannot read the spool's list of files: %s",
			       strerror(-ret));
		return false;
	}
	take_leftovers(in, NULL);
	spool_check(spool);
	return true;
}

void intake_end(struct intake *in)
{
	if (in->inotify >= 0)
		close(in->inotify);
	ingested_log_free(&in->ingested);
}
