// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "base/process.h"
#include "collector/index/hosts.h"
#include "collector/index/incidents.h"
#include "command/service.h"
#include "incoming.h"
#include "store.h"
#include "streams.h"
#include "upkeep.h"

#define BATCH_MESSAGES	FILES_OPEN_MAX
#define BATCH_BYTES	(8U << 20)
#define ASIDE_SECONDS	60	/* Do not report every refused message. */

static bool is_about_incident(enum message_kind kind)
{
	return kind == MESSAGE_PART || kind == MESSAGE_MANIFEST || kind == MESSAGE_LOSS;
}

static bool is_being_checked(struct collector *c, const struct index_host *host,
			     const char *name)
{
	struct index_incident incident;

	return store_is_busy(c) && index_incident_find(&c->index, host->id, name, &incident) &&
	       store_checks(c, incident.id);
}

static int handle(struct collector *c, const struct index_host *host, const struct message *m,
		  const struct parcel *p)
{
	if (is_about_incident(m->kind)) {
		if (!*m->source || strlen(m->source) > INCIDENT_NAME_MAX)
			return refuse(c, host->id, REFUSED_NAME);
		/* The answer comes with the result of the check. */
		if (is_being_checked(c, host, m->source))
			return 0;
	}
	switch (m->kind) {
	case MESSAGE_PART:
		return handle_part(c, host, m);
	case MESSAGE_MANIFEST:
		return handle_manifest(c, host, m);
	case MESSAGE_LOSS:
		return handle_loss(c, host, m);
	case MESSAGE_ANSWER:
		return handle_answer(c, host, m);
	case MESSAGE_HELLO:
		handle_hello(c, host, m);
		return 0;
	case MESSAGE_SUBBUFS:
	case MESSAGE_HEAD:
	case MESSAGE_CLOCK:
	case MESSAGE_GAP:
		return handle_stream(c, host, m, p);
	default:
		return refuse(c, host->id, REFUSED_KIND);
	}
}

int batch_message(struct collector *c, const struct parcel *p)
{
	enum refusal refusal = NR_REFUSALS;
	struct index_host host;
	struct message m;

	if (!is_host_name(p->host))
		return refuse(c, 0, REFUSED_HOST);
	if (!budget_message(&c->budget, p->host))
		refusal = REFUSED_RATE;
	else if (message_decode(&m, &c->space, p->data, p->size))
		refusal = REFUSED_DAMAGED;
	/* Compare with the sender's name that the transport has authenticated. */
	else if (strcmp(m.host, p->host))
		refusal = REFUSED_HOST;
	if (!index_host_seen(&c->index, p->host, refusal == NR_REFUSALS ? m.boot : "",
			     collector_time(), &host))
		return c->index.code ? 0 : refuse(c, 0, REFUSED_HOSTS);
	return refusal == NR_REFUSALS ? handle(c, &host, &m, p) : refuse(c, host.id, refusal);
}

/* Receive the messages that are there, up to the limits. Return their number. */
static unsigned int receive(struct collector *c, struct parcel *parcels, int timeout_ms)
{
	unsigned int nr = 0;
	size_t bytes = 0;

	while (nr < BATCH_MESSAGES && bytes < BATCH_BYTES) {
		struct parcel *p = &parcels[nr];
		int ret;

		*p = (struct parcel){ 0 };
		ret = c->transport.ops->receive(&c->transport, p, nr ? 0 : timeout_ms);
		if (ret < 0)
			collector_report(c, "%s", c->transport.error);
		if (ret <= 0)
			break;
		bytes += p->size;
		nr++;
	}
	return nr;
}

static void acknowledge(struct collector *c, struct parcel *parcels, unsigned int nr, bool done)
{
	/* A message that cannot be acknowledged comes again, which is harmless. */
	for (unsigned int i = 0; i < nr; i++)
		c->transport.ops->acknowledge(&c->transport, &parcels[i], done);
}

/*
 * Return whether the message is the cause of an error: it fails each time, and others do
 * not. Otherwise the disk or the memory is.
 */
static bool is_of_message(const struct collector *c, int ret)
{
	switch (-ret) {
	case 0:
		return index_error_of_values(&c->index);
	case EEXIST:
	case EINVAL:
	case EISDIR:
	case ELOOP:
	case EMSGSIZE:
	case ENAMETOOLONG:
	case ENOENT:
	case ENOTDIR:
	case EOVERFLOW:
		return true;
	default:
		return false;
	}
}

static void tell_aside(const struct parcel *p, const char *cause, int ret)
{
	static double next_report;

	if (now() < next_report)
		return;
	next_report = now() + ASIDE_SECONDS;
	complain("a message of %s cannot be stored and is refused: %s; %s", p->host, cause,
		 !ret ? "the directory aside has it" :
		 ret == -EEXIST ? "the directory aside has an earlier one" :
		 "the directory aside does not take it");
}

/* Refuse a message that cannot be stored, and keep it for the administrator. */
static int put_aside(struct collector *c, const struct parcel *p, int error)
{
	char cause[INDEX_ERROR_SIZE];
	struct index_host host;
	int ret;

	snprintf(cause, sizeof(cause), "%s", error ? strerror(-error) : c->index.error);
	index_undo(&c->index);
	/* Open files are known by the ids of rows, which other rows get after that. */
	ret = files_sync(&c->files);
	if (!ret)
		ret = stream_files_sync(&c->streams);
	if (ret)
		return ret;
	tell_aside(p, cause, files_put_aside(&c->files, p->host, p->data, p->size));
	return refuse(c, index_host_seen(&c->index, p->host, "", collector_time(), &host) ?
		      host.id : 0, REFUSED_STORE);
}

/* Handle a message with a savepoint: its failure does not undo the others. */
static int handle_alone(struct collector *c, const struct parcel *p)
{
	unsigned int answers = c->nr_answers, replies = c->replies.nr;
	uint64_t stored_bytes = c->stored_bytes;
	int ret;

	index_mark(&c->index);
	ret = batch_message(c, p);
	if (is_of_message(c, ret)) {
		streams_cut(c, answers);
		c->stored_bytes = stored_bytes;
		replies_cut(&c->replies, replies);
		return put_aside(c, p, ret);
	}
	index_unmark(&c->index);
	return ret;
}

/* Write all to the disk. @alone: refuse what cannot be stored. Return 0 or an errno. */
static int try_batch(struct collector *c, const struct parcel *parcels, unsigned int nr,
		     bool alone)
{
	int ret = 0;

	index_begin(&c->index);
	for (unsigned int i = 0; i < nr && !ret && !c->index.code; i++) {
		/* Many messages that each take long are no reason to end the service. */
		service_alive();
		ret = alone ? handle_alone(c, &parcels[i]) : batch_message(c, &parcels[i]);
	}
	if (!ret)
		ret = files_sync(&c->files);
	if (!ret)
		ret = stream_files_sync(&c->streams);
	if (!ret)
		streams_answer(c);
	return ret;
}

static void undo_batch(struct collector *c, uint64_t refused)
{
	index_rollback(&c->index);
	files_drop(&c->files);
	stream_files_drop(&c->streams);
	streams_cut(c, 0);
	c->refused = refused;
	replies_discard(&c->replies);
	/* Count the bytes of files again. The text of the error stays. */
	index_clear(&c->index);
	retention_begin(c);
}

/* Write all to the disk. Return false after an error, which was reported: nothing was written. */
static bool write_batch(struct collector *c, const struct parcel *parcels, unsigned int nr)
{
	uint64_t refused = c->refused;
	int ret = try_batch(c, parcels, nr, false);

	/* One message must not keep those of all other hosts away. */
	if (is_of_message(c, ret)) {
		undo_batch(c, refused);
		ret = try_batch(c, parcels, nr, true);
	}
	if (!ret && index_commit(&c->index))
		return true;
	undo_batch(c, refused);
	collector_report(c, "cannot write to %s: %s; messages wait until that is repaired",
			 c->options->directory, ret ? strerror(-ret) : c->index.error);
	return false;
}

unsigned int batch_run(struct collector *c, int timeout_ms)
{
	struct parcel parcels[BATCH_MESSAGES];
	unsigned int nr = receive(c, parcels, timeout_ms);
	bool done;

	if (!nr)
		return 0;
	done = write_batch(c, parcels, nr);
	acknowledge(c, parcels, nr, done);
	c->batch_failed = !done;
	if (!done)
		return 0;
	c->messages += nr;
	replies_send(c);
	return nr;
}
