// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/process.h"
#include "collector.h"
#include "collector/index/hosts.h"
#include "collector/index/incidents.h"

/* An incident that was damaged several times gets one permit in this time. */
#define DAMAGED_SECONDS	3600

bool permits_init(struct permits *p, unsigned int max)
{
	p->all = calloc(max, sizeof(*p->all));
	p->max = max;
	return p->all;
}

void permits_free(struct permits *p)
{
	free(p->all);
}

bool permits_has(const struct permits *p, int64_t host)
{
	for (unsigned int i = 0; i < p->nr; i++)
		if (p->all[i].host == host)
			return true;
	return false;
}

void permits_repeat(struct collector *c, const struct index_host *host,
		    const struct index_incident *incident)
{
	const struct permits *p = &c->permits;

	for (unsigned int i = 0; i < p->nr; i++)
		if (p->all[i].incident == incident->id)
			replies_repeat(&c->replies, host, incident->name, p->all[i].number);
}

void permits_renew(struct permits *p, int64_t incident)
{
	for (unsigned int i = 0; i < p->nr; i++)
		if (p->all[i].incident == incident)
			p->all[i].expires = now() + PERMIT_SECONDS;
}

void permits_end(struct collector *c, int64_t host, int64_t incident)
{
	struct permits *p = &c->permits;

	for (unsigned int i = 0; i < p->nr; i++) {
		if (p->all[i].incident != incident)
			continue;
		p->all[i] = p->all[--p->nr];
		index_host_wants(&c->index, host, true);
		return;
	}
}

void permits_expire(struct collector *c)
{
	struct permits *p = &c->permits;
	struct index_incident incident;
	unsigned int i = 0;

	while (i < p->nr) {
		if (p->all[i].expires > now()) {
			i++;
			continue;
		}
		if (index_incident_by_id(&c->index, p->all[i].incident, &incident) &&
		    incident.state == INCIDENT_PERMITTED)
			index_incident_set(&c->index, incident.id, INCIDENT_ANNOUNCED,
					   collector_time());
		/* A host that is still there sends a HELLO, and waits for a permit again. */
		p->all[i] = p->all[--p->nr];
	}
}

static void grant(struct collector *c, const struct index_host *host)
{
	int64_t time = collector_time();
	struct index_incident incident;

	index_host_turn(&c->index, host->id);
	if (permits_has(&c->permits, host->id) ||
	    !index_incident_to_send(&c->index, host->id, time - DAMAGED_SECONDS * NS_PER_SEC,
				    &incident))
		return;
	if (incident.state == INCIDENT_ANNOUNCED)
		index_incident_set(&c->index, incident.id, INCIDENT_PERMITTED, time);
	c->permits.all[c->permits.nr++] = (struct permit){
		.host = host->id, .incident = incident.id, .expires = now() + PERMIT_SECONDS,
		.number = replies_add(&c->replies, host, incident.name, MESSAGE_PERMIT, NULL),
	};
}

void permits_grant(struct collector *c)
{
	struct index_host host;

	/* The loop ends, because each host that it tries no longer waits. */
	while (c->permits.nr < c->permits.max && c->replies.nr < REPLIES_MAX &&
	       index_host_next(&c->index, &host))
		grant(c, &host);
}

bool permits_are_due(struct collector *c)
{
	struct index_host host;

	for (unsigned int i = 0; i < c->permits.nr; i++)
		if (c->permits.all[i].expires <= now())
			return true;
	return c->permits.nr < c->permits.max && index_host_next(&c->index, &host);
}
