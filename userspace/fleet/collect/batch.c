// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "batch.h"
#include "hello.h"
#include "incoming.h"
#include "index/hosts.h"
#include "manifest.h"
#include "retention.h"
#include "streams.h"

#define BATCH_MESSAGES	FILES_OPEN_MAX
#define BATCH_BYTES	(8U << 20)

static int handle_answer(struct collector *c, const struct index_host *host,
			 const struct message *m)
{
	struct index_command command;
	struct index_answer answer;

	if (!answer_parse(&answer, m) || !index_command_find(&c->index, m->source, &command))
		return refuse(c, host->id, REFUSED_COMMAND);
	index_answer(&c->index, command.id, host->id, &answer, collector_time());
	return 0;
}

static bool is_about_incident(enum message_kind kind)
{
	return kind == MESSAGE_PART || kind == MESSAGE_MANIFEST || kind == MESSAGE_LOSS;
}

static int handle(struct collector *c, const struct index_host *host, const struct message *m,
		  const struct parcel *p)
{
	if (is_about_incident(m->kind) && (!*m->source || strlen(m->source) > INCIDENT_NAME_MAX))
		return refuse(c, host->id, REFUSED_NAME);
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
	if (message_decode(&m, &c->space, p->data, p->size))
		refusal = REFUSED_DAMAGED;
	/* The transport vouches for its own name of the sender. */
	else if (strcmp(m.host, p->host))
		refusal = REFUSED_HOST;
	if (!index_host_seen(&c->index, p->host, refusal == NR_REFUSALS ? m.boot : "",
			     collector_time(), &host))
		return c->index.code ? 0 : refuse(c, 0, REFUSED_HOSTS);
	return refusal == NR_REFUSALS ? handle(c, &host, &m, p) : refuse(c, host.id, refusal);
}

/* Receive what is there, up to the limits. Return the number of messages. */
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
			collector_trouble(c, "%s", c->transport.error);
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

/* Write all to the disk. Return false, with the error reported: nothing was. */
static bool write_batch(struct collector *c, const struct parcel *parcels, unsigned int nr)
{
	int ret = 0;

	index_begin(&c->index);
	for (unsigned int i = 0; i < nr && !ret; i++)
		ret = batch_message(c, &parcels[i]);
	if (!ret)
		ret = files_sync(&c->files);
	if (!ret)
		ret = stream_files_sync(&c->streams);
	if (!ret)
		streams_answer(c);
	if (!ret && index_commit(&c->index))
		return true;
	index_rollback(&c->index);
	files_drop(&c->files);
	stream_files_drop(&c->streams);
	c->nr_answers = 0;
	/* Some bytes were counted already. */
	retention_begin(c);
	replies_discard(&c->replies);
	collector_trouble(c, "cannot write to %s: %s; messages wait until that is repaired",
			  c->options->directory, ret ? strerror(-ret) : c->index.error);
	return false;
}

unsigned int batch_run(struct collector *c, int timeout_ms)
{
	struct parcel parcels[BATCH_MESSAGES];
	unsigned int nr = receive(c, parcels, timeout_ms);
	uint64_t refused = c->refused;
	bool done;

	if (!nr)
		return 0;
	done = write_batch(c, parcels, nr);
	acknowledge(c, parcels, nr, done);
	c->batch_failed = !done;
	if (!done) {
		c->refused = refused;
		return 0;
	}
	c->messages += nr;
	replies_send(c);
	return nr;
}
