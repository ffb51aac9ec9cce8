// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index/checksum.h"
#include "index/hosts.h"
#include "index/incidents.h"
#include "index/parts.h"
#include "index/refusals.h"
#include "recording_check.h"
#include "store.h"

#define FAILURES_MAX	3	/* The parts of a damaged file are asked for so many times. */
#define MISSING_LINES	256
#define CHECKED_MAX	64	/* incidents of one transaction */

/* The result of a check */
enum outcome {
	OUTCOME_STORED,
	OUTCOME_DAMAGED,
	OUTCOME_OTHER_FILE,	/* another file has the name */
	OUTCOME_ERROR,		/* the disk does not work */
};

/* A file that was checked */
struct checked {
	struct index_incident incident;
	struct index_host host;
	enum outcome outcome;
	bool recording;
};

/* Return whether the file has the size and the sum; -1: it cannot be read. */
static int is_file(int fd, const struct index_incident *incident)
{
	char sum[SHA256_TEXT_SIZE];
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	if ((uint64_t)st.st_size != incident->size)
		return 0;
	return checksum_file(fd, -1, sum) ? -1 : !strcmp(sum, incident->sha256);
}

/* A file has the name of the incident. It can be from a collector that was killed. */
static enum outcome check_stored(struct collector *c, const struct index_host *host,
				 const struct index_incident *incident, bool *recording)
{
	int fd = files_open_incident(&c->files, host->name, incident->name), same;

	if (fd < 0) {
		errno = -fd;
		return fd == -ENOENT ? OUTCOME_DAMAGED : OUTCOME_ERROR;
	}
	same = is_file(fd, incident);
	if (same > 0)
		*recording = is_recording(fd);
	close(fd);
	return same < 0 ? OUTCOME_ERROR : same ? OUTCOME_STORED : OUTCOME_OTHER_FILE;
}

/* A part beyond the end can have come before the manifest. */
static int cut(int fd, const struct index_incident *incident)
{
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	if ((uint64_t)st.st_size == incident->size)
		return 0;
	return ftruncate(fd, incident->size) || fsync(fd) ? -1 : 0;
}

static enum outcome check_part(struct collector *c, const struct index_host *host,
			       const struct index_incident *incident, int fd, bool *recording)
{
	int same = cut(fd, incident), ret;

	if (!same)
		same = is_file(fd, incident);
	if (same <= 0)
		return same ? OUTCOME_ERROR : OUTCOME_DAMAGED;
	*recording = is_recording(fd);
	ret = files_keep(&c->files, host->name, incident->name);
	if (ret == -EEXIST)
		return check_stored(c, host, incident, recording);
	if (ret)
		errno = -ret;
	return ret ? OUTCOME_ERROR : OUTCOME_STORED;
}

static enum outcome check(struct collector *c, const struct index_host *host,
			  const struct index_incident *incident, bool *recording)
{
	int fd = files_open_part(&c->files, host->name, incident->name);
	enum outcome outcome;

	if (fd == -ENOENT)
		return check_stored(c, host, incident, recording);
	if (fd < 0) {
		errno = -fd;
		return OUTCOME_ERROR;
	}
	outcome = check_part(c, host, incident, fd, recording);
	close(fd);
	return outcome;
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
		collector_trouble(c, "cannot write the index in %s: %s", c->options->directory,
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

/* Check a file. Return false if it cannot be said what became of it. */
static bool check_one(struct collector *c, int64_t id, struct checked *one)
{
	if (!index_incident_by_id(&c->index, id, &one->incident) ||
	    !index_host_by_id(&c->index, one->incident.host, &one->host))
		return false;
	one->recording = false;
	one->outcome = check(c, &one->host, &one->incident, &one->recording);
	if (one->outcome != OUTCOME_ERROR)
		return true;
	collector_trouble(c, "cannot store the incident %s of %s in %s: %s", one->incident.name,
			  one->host.name, c->options->directory, strerror(errno));
	return false;
}

void store_complete(struct collector *c)
{
	static struct checked checked[CHECKED_MAX];
	unsigned int nr;
	int64_t id = 0;

	index_clear(&c->index);
	do {
		nr = 0;
		/* An incident with an error must not keep away those behind it. */
		while (nr < CHECKED_MAX && (id = index_parts_complete(&c->index, id)))
			nr += check_one(c, id, &checked[nr]);
	} while (nr && conclude_all(c, checked, nr) && id);
}
