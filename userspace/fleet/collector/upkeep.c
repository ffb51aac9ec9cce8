// SPDX-License-Identifier: GPL-2.0-only
#include "collector/index/hosts.h"
#include "collector/index/incidents.h"
#include "message/message.h"
#include "upkeep.h"

#define MISSING_LINES	256
#define ASK_AGAIN	(30 * NS_PER_SEC)
#define ASK_MAX		5
#define INCOMING_OLD	(24 * 3600 * NS_PER_SEC)
#define HOST_OLD	(90LL * 24 * 3600 * NS_PER_SEC)

static void ask(struct collector *c, int64_t id, int64_t time)
{
	static struct index_parts parts;
	struct index_incident incident;
	struct index_host host;
	struct buf text = { 0 };

	index_parts_read(&c->index, id, &parts);
	index_parts_asked(&c->index, id, parts.asked + 1 < ASK_MAX ?
			  (uint64_t)(time + ASK_AGAIN) : INDEX_UNKNOWN);
	if (!index_incident_by_id(&c->index, id, &incident) ||
	    !index_host_by_id(&c->index, incident.host, &host))
		return;
	if (parts.parts == INDEX_UNKNOWN)
		text_add(&text, "manifest", "yes");
	else
		index_parts_missing(&parts, &text, MISSING_LINES);
	replies_add(&c->replies, &host, incident.name, MESSAGE_MISSING, &text);
	buf_free(&text);
}

/* End a transaction, and send what it has to say. */
static void finish(struct collector *c)
{
	if (index_commit(&c->index)) {
		replies_send(c);
		return;
	}
	replies_discard(&c->replies);
	collector_report(c, "cannot write the index in %s: %s", c->options->directory,
			 c->index.error);
}

void upkeep_ask(struct collector *c)
{
	int64_t time = collector_time(), id;

	index_clear(&c->index);
	if (!index_parts_to_ask(&c->index, time))
		return;
	index_begin(&c->index);
	while (c->replies.nr < REPLIES_MAX && (id = index_parts_to_ask(&c->index, time)))
		ask(c, id, time);
	finish(c);
}

void upkeep_permits(struct collector *c)
{
	index_clear(&c->index);
	if (!permits_are_due(c))
		return;
	index_begin(&c->index);
	permits_expire(c);
	permits_grant(c);
	finish(c);
}

static void remove_parts(struct collector *c, int64_t id, int64_t time)
{
	struct index_incident incident;
	struct index_host host;

	if (index_incident_by_id(&c->index, id, &incident) &&
	    index_host_by_id(&c->index, incident.host, &host))
		files_remove_part(&c->files, host.name, incident.name, id);
	index_parts_remove(&c->index, id);
	index_incident_give_up(&c->index, id, time);
}

void upkeep_remove_old(struct collector *c)
{
	int64_t time = collector_time(), id;

	index_begin(&c->index);
	while ((id = index_parts_old(&c->index, time - INCOMING_OLD)))
		remove_parts(c, id, time);
	index_hosts_forget(&c->index, time - HOST_OLD);
	finish(c);
}
