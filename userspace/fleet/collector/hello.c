// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "collector/index/incidents.h"
#include "incoming.h"
#include "manifest.h"
#include "message/message.h"
#include "streams.h"

#define LISTED_MAX	64	/* incidents of one HELLO */
#define NAME_SIZE	32
#define VALUE_SIZE	256

/* Return whether the incident must be sent. */
static bool announce(struct collector *c, const struct index_host *host, const char *name,
		     uint64_t size, int64_t time)
{
	struct index_incident incident;

	if (!index_incident_get(&c->index, host->id, name, INCIDENT_ANNOUNCED, time, &incident))
		return false;
	switch (incident.state) {
	case INCIDENT_STORED:
	case INCIDENT_REMOVED:
		if (incident.size == size)
			replies_add(&c->replies, host, name, MESSAGE_STORED, NULL);
		else
			refuse(c, host->id, REFUSED_OTHER_FILE);
		return false;
	case INCIDENT_LOST:
		/* A lost incident is in the spool again. If this HELLO is an old one, another LOSS comes. */
		index_incident_set(&c->index, incident.id, INCIDENT_ANNOUNCED, time);
		break;
	case INCIDENT_PERMITTED:
		permits_repeat(c, host, &incident);
		break;
	default:
		break;
	}
	index_incident_listed(&c->index, incident.id, size, time);
	return true;
}

/* A line: the id of an incident and its size */
static bool list_incident(struct collector *c, const struct index_host *host, char *line,
			  int64_t time)
{
	char *space = strchr(line, ' ');
	uint64_t size = space ? parse_number(space + 1) : INDEX_UNKNOWN;

	if (space)
		*space = '\0';
	if (!is_source_name(line) || strlen(line) > INCIDENT_NAME_MAX || size == INDEX_UNKNOWN) {
		refuse(c, host->id, REFUSED_NAME);
		return false;
	}
	if (size > c->options->max_incident_kb << 10 || size > c->options->max_host_kb << 10) {
		refuse(c, host->id, REFUSED_TOO_LARGE);
		return false;
	}
	return announce(c, host, line, size, time);
}

static void store_number(struct index_hello *h, const char *name, const char *value)
{
	const struct {
		const char *name;
		uint64_t *to;
	} numbers[] = {
		{ "spool-bytes", &h->spool_bytes },
		{ "events", &h->events },
		{ "lost", &h->lost },
		{ "clock-error", &h->clock_error },
		{ "time-tai", &h->time_tai },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!strcmp(numbers[i].name, name))
			*numbers[i].to = parse_number(value);
}

void handle_hello(struct collector *c, const struct index_host *host, const struct message *m)
{
	struct index_hello h = {
		.spool_bytes = INDEX_UNKNOWN, .events = INDEX_UNKNOWN, .lost = INDEX_UNKNOWN,
		.clock_error = INDEX_UNKNOWN, .time_tai = INDEX_UNKNOWN,
	};
	struct text t = { m->data, (const char *)m->data + m->size };
	char name[NAME_SIZE], value[VALUE_SIZE];
	int64_t time = collector_time();
	bool wants = false;

	while (text_next(&t, name, sizeof(name), value, sizeof(value))) {
		if (!strcmp(name, "version"))
			snprintf(h.version, sizeof(h.version), "%.*s", (int)sizeof(h.version) - 1, value);
		else if (!strcmp(name, "kernel"))
			snprintf(h.kernel, sizeof(h.kernel), "%.*s", (int)sizeof(h.kernel) - 1, value);
		else if (!strcmp(name, "stream") && is_source_name(value))
			streams_ask(c, host, value);
		else if (strcmp(name, "incident"))
			store_number(&h, name, value);
		else if (h.waiting++ < LISTED_MAX && list_incident(c, host, value, time))
			wants = true;
	}
	index_host_hello(&c->index, host->id, &h, time);
	index_incidents_unlisted(&c->index, host->id, time);
	index_incidents_trim(&c->index, host->id);
	if (wants && !permits_has(&c->permits, host->id))
		index_host_wants(&c->index, host->id, true);
}
