// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "collector.h"
#include "collector/index/hosts.h"
#include "collector/index/incidents.h"

/* An incident that was damaged several times gets one permit in this time. */
#define DAMAGED_SECONDS	3600
#define PROBES		8	/* places that a budget can have */

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

bool budget_init(struct budget *b)
{
	b->host = calloc(BUDGET_HOSTS, sizeof(*b->host));
	return b->host;
}

void budget_free(struct budget *b)
{
	free(b->host);
	b->host = NULL;
}

static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

/* Return the place of the host, which may have been another host's until now. */
static struct budget_host *find_budget(struct budget *b, const char *name)
{
	struct budget_host *oldest = NULL;
	double t = now();

	for (uint32_t i = 0, h = hash(name); i < PROBES; i++) {
		struct budget_host *host = &b->host[(h + i) % BUDGET_HOSTS];

		if (!strcmp(host->name, name)) {
			double passed = t > host->at ? t - host->at : 0;

			host->messages = fmin(BUDGET_MESSAGES, host->messages + passed * BUDGET_RATE);
			host->checked *= exp2(-passed / BUDGET_HALF_LIFE);
			host->at = t;
			return host;
		}
		if (!oldest || !*host->name || (*oldest->name && host->at < oldest->at))
			oldest = host;
	}
	*oldest = (struct budget_host){ .messages = BUDGET_MESSAGES, .at = t };
	snprintf(oldest->name, sizeof(oldest->name), "%s", name);
	return oldest;
}

bool budget_message(struct budget *b, const char *host)
{
	struct budget_host *h = find_budget(b, host);

	if (h->messages < 1)
		return false;
	h->messages--;
	return true;
}

void budget_checked(struct budget *b, const char *host, double seconds)
{
	find_budget(b, host)->checked += seconds;
}

double budget_check_time(struct budget *b, const char *host)
{
	return find_budget(b, host)->checked;
}
