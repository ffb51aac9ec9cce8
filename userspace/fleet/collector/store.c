// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "collector.h"
#include "collector/files/files.h"
#include "collector/index/hosts.h"
#include "collector/index/incidents.h"
#include "store.h"

#define FAILURES_MAX	3	/* times that the parts of a damaged file are asked for */
#define MISSING_LINES	256
#define WAITING_MAX	4096	/* hosts that are looked at for the next checks */

/* The result of a check */
enum outcome {
	OUTCOME_STORED,
	OUTCOME_DAMAGED,
	OUTCOME_OTHER_FILE,	/* another file has the name */
	/* It cannot be said yet. */
	OUTCOME_CHANGED,	/* the host has said something else of it meanwhile */
	OUTCOME_ERROR,		/* the disk does not work */
};

/* A file that was checked */
struct checked {
	struct index_incident incident;
	struct index_host host;
	enum outcome outcome;
	bool recording;
};

bool store_is_busy(const struct collector *c)
{
	return c->checks.nr;
}

bool store_checks(const struct collector *c, int64_t incident)
{
	for (unsigned int i = 0; i < c->checks.nr; i++)
		if (c->checks.check[i].incident.id == incident)
			return true;
	return false;
}

/*
 * A part beyond the end can have come before the manifest. An earlier check can have cut the file
 * without reaching the disk, so the file is synced each time.
 */
static int cut(int fd, const struct index_incident *incident)
{
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	if ((uint64_t)st.st_size != incident->size && ftruncate(fd, incident->size))
		return -1;
	return fsync(fd);
}

/*
 * Open the file to be checked. A file that has the name already can be from a collector
 * that was killed.
 */
static int open_file(struct collector *c, struct check *k)
{
	int fd = k->has_name ? -ENOENT :
		 files_open_part(&c->files, k->host.name, k->incident.name);

	if (fd != -ENOENT)
		return fd;
	k->has_name = true;
	return files_open_incident(&c->files, k->host.name, k->incident.name);
}

/* Start a process. Without one, k->status has the result. */
static void start(struct collector *c, struct check *k)
{
	int fd = open_file(c, k);

	k->pid = 0;
	k->begin = now();
	k->status = (fd == -ENOENT ? FILE_DAMAGED : FILE_UNREADABLE) << 8;
	k->error = fd < 0 ? -fd : EIO;
	if (fd < 0)
		return;
	if (!k->has_name && cut(fd, &k->incident))
		k->error = errno;
	else if ((k->pid = file_check_start(fd, k->incident.size, k->incident.sha256)) < 0)
		k->error = errno;
	k->pid = k->pid < 0 ? 0 : k->pid;
	close(fd);
}

static bool host_is_checked(const struct collector *c, int64_t host)
{
	for (unsigned int i = 0; i < c->checks.nr; i++)
		if (c->checks.check[i].host.id == host)
			return true;
	return false;
}

/* An incident that waits for its check */
struct waiting {
	int64_t incident;
	double seconds;		/* the time that checks of its host took */
};

static int by_seconds(const void *x, const void *y)
{
	const struct waiting *a = x, *b = y;

	return a->seconds < b->seconds ? -1 : a->seconds > b->seconds ? 1 :
	       a->incident < b->incident ? -1 : a->incident > b->incident;
}

/* Store one incident of each host that has no check now, in the order of their turns. */
static unsigned int find_waiting(struct collector *c, struct waiting *w)
{
	sqlite3_stmt *st = index_parts_complete(&c->index);
	unsigned int nr = 0;

	while (nr < WAITING_MAX && index_row(&c->index, st)) {
		if (host_is_checked(c, sqlite3_column_int64(st, 1)))
			continue;
		w[nr].incident = sqlite3_column_int64(st, 0);
		w[nr++].seconds = budget_check_time(&c->budget, index_text(st, 2));
	}
	index_end(st);
	qsort(w, nr, sizeof(*w), by_seconds);
	return nr;
}

static void start_all(struct collector *c)
{
	static struct waiting w[WAITING_MAX];
	unsigned int nr = c->checks.nr < CHECKS_MAX ? find_waiting(c, w) : 0;

	for (unsigned int i = 0; i < nr && c->checks.nr < CHECKS_MAX; i++) {
		struct check *k = &c->checks.check[c->checks.nr];

		*k = (struct check){ 0 };
		if (!index_incident_by_id(&c->index, w[i].incident, &k->incident) ||
		    !index_host_by_id(&c->index, k->incident.host, &k->host))
			continue;
		start(c, k);
		c->checks.nr++;
	}
}

/* The incident is as it was when the check began: all parts are here, for this file. */
static bool is_unchanged(struct collector *c, const struct index_incident *before)
{
	static struct index_parts parts;
	struct index_incident incident;

	return index_incident_by_id(&c->index, before->id, &incident) &&
	       incident.size == before->size && !strcmp(incident.sha256, before->sha256) &&
	       index_parts_read(&c->index, before->id, &parts) && parts.received == parts.parts;
}

/* Give the file its name. */
static enum outcome keep(struct collector *c, struct check *k)
{
	int ret = files_keep(&c->files, k->host.name, k->incident.name);

	k->error = -ret;
	if (ret != -EEXIST)
		return ret ? OUTCOME_ERROR : OUTCOME_STORED;
	/* Another check says if the file of that name is the same. */
	k->has_name = true;
	start(c, k);
	return k->pid ? OUTCOME_STORED : OUTCOME_ERROR;
}

/* The file has its name already, but the name may not be on the disk. */
static enum outcome keep_name(struct collector *c, struct check *k)
{
	k->error = -files_sync_names(&c->files, k->host.name);
	return k->error ? OUTCOME_ERROR : OUTCOME_STORED;
}

static bool has_file(struct collector *c, const struct check *k)
{
	int fd = files_open_incident(&c->files, k->host.name, k->incident.name);

	if (fd >= 0)
		close(fd);
	return fd != -ENOENT;
}

/* Say what became of a file. k->pid is set if another check is needed for that. */
static enum outcome outcome_of(struct collector *c, struct check *k)
{
	if (!is_unchanged(c, &k->incident))
		return OUTCOME_CHANGED;
	switch (file_check_verdict(k->status)) {
	case FILE_RECORDING:
	case FILE_OTHER:
		return k->has_name ? keep_name(c, k) : keep(c, k);
	case FILE_DAMAGED:
		return k->has_name && has_file(c, k) ? OUTCOME_OTHER_FILE : OUTCOME_DAMAGED;
	default:
		return OUTCOME_ERROR;
	}
}

/* Forget the parts, and ask for all of them again. */
static void begin_again(struct collector *c, const struct index_host *host,
			const struct index_incident *incident, struct index_parts *parts,
			enum refusal cause)
{
	int64_t time = collector_time();
	struct buf text = { 0 };

	index_parts_clear(parts);
	index_parts_write(&c->index, parts, time, INDEX_UNKNOWN);
	index_incident_damaged(&c->index, incident->id, time);
	index_refuse(&c->index, host->id, cause, time);
	c->refused++;
	if (cause == REFUSED_SUM && incident->failures + 1 < FAILURES_MAX) {
		index_parts_missing(parts, &text, MISSING_LINES);
		replies_add(&c->replies, host, incident->name, MESSAGE_MISSING, &text);
		permits_renew(&c->permits, incident->id);
	} else {
		permits_end(c, host->id, incident->id);
	}
	buf_free(&text);
}

static void conclude(struct collector *c, const struct checked *one)
{
	const struct index_incident *incident = &one->incident;
	static struct index_parts parts;

	index_parts_read(&c->index, incident->id, &parts);
	if (one->outcome != OUTCOME_STORED) {
		begin_again(c, &one->host, incident, &parts,
			    one->outcome == OUTCOME_DAMAGED ? REFUSED_SUM : REFUSED_OTHER_FILE);
		return;
	}
	index_parts_remove(&c->index, incident->id);
	index_incident_stored(&c->index, incident->id, one->recording, collector_time());
	permits_end(c, one->host.id, incident->id);
	replies_add(&c->replies, &one->host, incident->name, MESSAGE_STORED, NULL);
}

/* Write what became of the files to the index, in one transaction, and tell the hosts. */
static bool conclude_all(struct collector *c, const struct checked *checked, unsigned int nr)
{
	index_begin(&c->index);
	for (unsigned int i = 0; i < nr; i++)
		conclude(c, &checked[i]);
	if (!index_commit(&c->index)) {
		replies_discard(&c->replies);
		collector_report(c, "cannot write the index in %s: %s", c->options->directory,
				 c->index.error);
		return false;
	}
	for (unsigned int i = 0; i < nr; i++) {
		const struct checked *one = &checked[i];

		files_remove_part(&c->files, one->host.name, one->incident.name, one->incident.id);
		if (one->outcome != OUTCOME_STORED)
			continue;
		c->stored_bytes += one->incident.size;
		c->stored++;
	}
	replies_send(c);
	return true;
}

/* Take a check that has ended. Return whether it says what became of the file. */
static bool finish(struct collector *c, struct check *k, struct checked *one)
{
	double seconds = now() - k->begin;

	*one = (struct checked){
		.incident = k->incident, .host = k->host,
		.recording = file_check_verdict(k->status) == FILE_RECORDING,
	};
	one->outcome = outcome_of(c, k);
	if (k->pid)
		return false;
	/* After an error the turn of all others comes first. */
	if (one->outcome == OUTCOME_ERROR && seconds < 1)
		seconds = 1;
	budget_checked(&c->budget, k->host.name, seconds);
	if (one->outcome == OUTCOME_ERROR)
		collector_report(c, "cannot store the incident %s of %s in %s: %s", k->incident.name,
				 k->host.name, c->options->directory, strerror(k->error));
	return one->outcome < OUTCOME_CHANGED;
}

/* Take all checks that have ended. Return how many of them say what became of the file. */
static unsigned int finish_all(struct collector *c, struct checked *checked)
{
	unsigned int nr = 0, i = 0;

	while (i < c->checks.nr) {
		struct check *k = &c->checks.check[i];

		if (k->pid && waitpid(k->pid, &k->status, WNOHANG) != k->pid) {
			i++;
			continue;
		}
		k->pid = 0;
		nr += finish(c, k, &checked[nr]);
		if (k->pid)
			i++;
		else
			*k = c->checks.check[--c->checks.nr];
	}
	return nr;
}

void store_complete(struct collector *c)
{
	struct checked checked[CHECKS_MAX];
	unsigned int nr;

	index_clear(&c->index);
	nr = finish_all(c, checked);
	if (nr)
		conclude_all(c, checked, nr);
	start_all(c);
}

void store_stop(struct collector *c)
{
	for (unsigned int i = 0; i < c->checks.nr; i++) {
		struct check *k = &c->checks.check[i];

		if (!k->pid)
			continue;
		kill(k->pid, SIGKILL);
		waitpid(k->pid, &k->status, 0);
	}
	c->checks.nr = 0;
}
