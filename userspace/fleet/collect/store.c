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

/* What became of a file */
enum outcome {
	OUTCOME_STORED,
	OUTCOME_DAMAGED,
	OUTCOME_OTHER_FILE,	/* another file has the name */
	OUTCOME_ERROR,		/* the disk does not work */
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

static enum outcome check_part(struct collector *c, const struct index_host *host,
			       const struct index_incident *incident, int fd, bool *recording)
{
	int same = -1, ret;

	/* A part beyond the end came before the manifest. */
	if (!ftruncate(fd, incident->size) && !fsync(fd))
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

static bool conclude(struct collector *c, const struct index_host *host,
		     const struct index_incident *incident, enum outcome outcome, bool recording)
{
	static struct index_parts parts;

	index_begin(&c->index);
	index_parts_read(&c->index, incident->id, &parts);
	if (outcome == OUTCOME_STORED) {
		index_parts_remove(&c->index, incident->id);
		index_incident_stored(&c->index, incident->id, recording, collector_time());
		permits_end(c, host->id, incident->id);
		replies_add(&c->replies, host, incident->name, MESSAGE_STORED, NULL);
	} else {
		begin_again(c, host, incident, &parts,
			    outcome == OUTCOME_DAMAGED ? REFUSED_SUM : REFUSED_OTHER_FILE);
	}
	if (index_commit(&c->index)) {
		files_remove_part(&c->files, host->name, incident->name, incident->id);
		return true;
	}
	replies_discard(&c->replies);
	collector_trouble(c, "cannot write the index in %s: %s", c->options->directory,
			  c->index.error);
	return false;
}

static bool store_one(struct collector *c, int64_t id)
{
	struct index_incident incident;
	enum outcome outcome;
	struct index_host host;
	bool recording = false;

	if (!index_incident_by_id(&c->index, id, &incident) ||
	    !index_host_by_id(&c->index, incident.host, &host)) {
		index_parts_remove(&c->index, id);
		return true;
	}
	outcome = check(c, &host, &incident, &recording);
	if (outcome == OUTCOME_ERROR) {
		collector_trouble(c, "cannot store the incident %s of %s in %s: %s", incident.name,
				  host.name, c->options->directory, strerror(errno));
		return false;
	}
	if (!conclude(c, &host, &incident, outcome, recording))
		return false;
	if (outcome == OUTCOME_STORED) {
		c->stored_bytes += incident.size;
		c->stored++;
	}
	replies_send(c);
	return true;
}

bool store_complete(struct collector *c)
{
	bool good = true;
	int64_t id = 0;

	/* An incident with an error must not keep away those behind it. */
	index_clear(&c->index);
	while ((id = index_parts_complete(&c->index, id)))
		if (!store_one(c, id))
			good = false;
	return good;
}
