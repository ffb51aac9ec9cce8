// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "collector/index/incidents.h"
#include "incoming.h"
#include "message/digest.h"
#include "message/message.h"
#include "streams.h"

#define INCOMING_MAX	64	/* incidents of a host at the same time */
/* Messages come in any order: wait for those that are on their way. */
#define PART_SECONDS	2
#define MANIFEST_SECONDS 10
#define LISTED_MAX	64	/* incidents of one HELLO */
#define STREAMS_MAX	256	/* sources of one HELLO, as many as an agent lists */
#define NAME_SIZE	32
#define VALUE_SIZE	256

int refuse(struct collector *c, int64_t host, enum refusal cause)
{
	index_refuse(&c->index, host, cause, collector_time());
	c->refused++;
	return 0;
}

/* Parse a number below 2^63; else return INDEX_UNKNOWN. */
static uint64_t parse_number(const char *value)
{
	uint64_t number;

	return text_u64(value, &number) && number <= INT64_MAX ? number : INDEX_UNKNOWN;
}

/*
 * A place for the value of a name: a text or a number. Texts of hosts have limits, and no value
 * is believed.
 */
struct value {
	const char *name;
	char *text;
	size_t size;
	uint64_t *number;
};

#define TEXT_VALUE(n, to)	{ .name = (n), .text = (to), .size = sizeof(to) }
#define NUMBER_VALUE(n, to)	{ .name = (n), .number = &(to) }

static void store_value(const struct value *v, const char *value)
{
	if (v->text)
		snprintf(v->text, v->size, "%s", value);
	else
		*v->number = parse_number(value);
}

static void parse_values(const struct message *m, const struct value *values, size_t nr)
{
	struct text t = { m->data, (const char *)m->data + m->size };
	char name[NAME_SIZE], value[VALUE_SIZE];

	for (size_t i = 0; i < nr; i++)
		store_value(&values[i], "");
	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		for (size_t i = 0; i < nr; i++)
			if (!strcmp(values[i].name, name))
				store_value(&values[i], value);
}

#define PARSE(m, values)	parse_values(m, values, sizeof(values) / sizeof(*(values)))

/* Return false if the manifest is too long, or lacks the size, the sum or the parts. */
static bool manifest_parse(struct index_manifest *manifest, const struct message *m)
{
	struct index_manifest *to = manifest;
	uint64_t end;
	const struct value values[] = {
		NUMBER_VALUE("size", to->size),
		NUMBER_VALUE("parts", to->parts),
		NUMBER_VALUE("events", to->events),
		NUMBER_VALUE("lost", to->lost),
		NUMBER_VALUE("trigger-real", to->time),
		NUMBER_VALUE("end-real", end),
		TEXT_VALUE("sha256", to->sha256),
		TEXT_VALUE("reason", to->reason),
		TEXT_VALUE("command", to->command),
	};

	if (m->size >= sizeof(manifest->text))
		return false;
	PARSE(m, values);
	if (manifest->time == INDEX_UNKNOWN)
		manifest->time = end;
	if (!is_source_name(manifest->command))
		*manifest->command = '\0';
	memcpy(manifest->text, m->data, m->size);
	manifest->text[m->size] = '\0';
	return manifest->size != INDEX_UNKNOWN && is_sha256(manifest->sha256);
}

static void loss_parse(struct index_loss *loss, const struct message *m)
{
	const struct value values[] = {
		NUMBER_VALUE("size", loss->size),
		NUMBER_VALUE("events", loss->events),
		NUMBER_VALUE("lost", loss->lost),
		TEXT_VALUE("cause", loss->cause),
	};

	PARSE(m, values);
	snprintf(loss->text, sizeof(loss->text), "%.*s", (int)m->size, (const char *)m->data);
}

/* Return false if the answer has no valid state. */
static bool answer_parse(struct index_answer *answer, const struct message *m)
{
	const struct value values[] = {
		TEXT_VALUE("state", answer->state),
		TEXT_VALUE("error", answer->error),
		TEXT_VALUE("incident", answer->incident),
		NUMBER_VALUE("oldest-real", answer->oldest),
		NUMBER_VALUE("late", answer->late),
		NUMBER_VALUE("received-real", answer->received),
		NUMBER_VALUE("clock-error", answer->clock_error),
	};

	PARSE(m, values);
	if (!is_source_name(answer->incident))
		*answer->incident = '\0';
	return !strcmp(answer->state, "taken") || !strcmp(answer->state, "failed");
}

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
	unsigned int streams = 0, firsts = 0;
	bool wants = false;

	while (text_next(&t, name, sizeof(name), value, sizeof(value))) {
		if (!strcmp(name, "version"))
			snprintf(h.version, sizeof(h.version), "%.*s", (int)sizeof(h.version) - 1, value);
		else if (!strcmp(name, "kernel"))
			snprintf(h.kernel, sizeof(h.kernel), "%.*s", (int)sizeof(h.kernel) - 1, value);
		else if (!strcmp(name, "stream") && is_source_name(value) && streams++ < STREAMS_MAX)
			streams_ask(c, host, value);
		else if (!strcmp(name, "stream-first") && firsts++ < STREAMS_MAX)
			streams_first(c, host, value);
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

static uint64_t parts_of(uint64_t size)
{
	return size / MESSAGE_PAYLOAD_MAX + (size % MESSAGE_PAYLOAD_MAX != 0);
}

static bool is_too_large(const struct collector *c, uint64_t size)
{
	return size > c->options->max_incident_kb << 10 || size > c->options->max_host_kb << 10;
}

/* Each part counts as a full one, because it can be written again with another size. */
static bool has_share(struct collector *c, int64_t host, bool is_new)
{
	uint64_t incidents, parts = index_parts_of_host(&c->index, host, &incidents);

	return parts < parts_of(c->options->max_host_kb << 10) &&
	       (!is_new || incidents < INCOMING_MAX);
}

static void write_parts(struct collector *c, const struct index_parts *parts)
{
	int64_t time = collector_time();
	int seconds = parts->parts == INDEX_UNKNOWN ? MANIFEST_SECONDS : PART_SECONDS;

	index_parts_write(&c->index, parts, time,
			  parts->received == parts->parts ? INDEX_UNKNOWN :
			  (uint64_t)(time + seconds * NS_PER_SEC));
	index_incident_set(&c->index, parts->incident, INCIDENT_INCOMING, time);
}

static bool fits(const struct index_incident *incident, const struct index_parts *parts,
		 const struct message *m)
{
	uint64_t size = MESSAGE_PAYLOAD_MAX;

	if (parts->parts == INDEX_UNKNOWN)
		return m->size > 0;
	if (m->seq >= parts->parts)
		return false;
	if (m->seq == parts->parts - 1)
		size = incident->size - m->seq * MESSAGE_PAYLOAD_MAX;
	return m->size == size;
}

static int add_part(struct collector *c, const struct index_host *host,
		    const struct index_incident *incident, struct index_parts *parts,
		    const struct message *m)
{
	int ret = files_write_part(&c->files, host->name, incident->name, incident->id,
				   m->seq * MESSAGE_PAYLOAD_MAX, m->data, m->size);

	if (ret)
		return ret;
	index_part_add(parts, m->seq);
	write_parts(c, parts);
	permits_renew(&c->permits, incident->id);
	return 0;
}

int handle_part(struct collector *c, const struct index_host *host, const struct message *m)
{
	struct index_incident incident = { 0 };
	static struct index_parts parts;
	bool is_new = true;

	if (m->seq >= parts_of(c->options->max_incident_kb << 10) || m->seq >= INDEX_PARTS_MAX)
		return refuse(c, host->id, REFUSED_TOO_LARGE);
	parts = (struct index_parts){ .parts = INDEX_UNKNOWN };
	if (index_incident_find(&c->index, host->id, m->source, &incident)) {
		if (incident.state == INCIDENT_STORED || incident.state == INCIDENT_REMOVED)
			return 0;
		is_new = !index_parts_read(&c->index, incident.id, &parts);
	}
	if (index_part_is_here(&parts, m->seq))
		return 0;
	if (!fits(&incident, &parts, m))
		return refuse(c, host->id, REFUSED_PART);
	if (!has_share(c, host->id, is_new))
		return refuse(c, host->id, REFUSED_SHARE);
	if (!index_incident_get(&c->index, host->id, m->source, INCIDENT_INCOMING,
				collector_time(), &incident))
		return 0;
	parts.incident = incident.id;
	return add_part(c, host, &incident, &parts, m);
}

/* The file is or was stored. Answer only if the manifest is that of the same file. */
static int manifest_of_stored(struct collector *c, const struct index_host *host,
			      const struct index_incident *incident,
			      const struct index_manifest *manifest)
{
	if (incident->size != manifest->size || strcmp(incident->sha256, manifest->sha256))
		return refuse(c, host->id, REFUSED_OTHER_FILE);
	replies_add(&c->replies, host, incident->name, MESSAGE_STORED, NULL);
	return 0;
}

/* Parts that came before the manifest can be too many. */
static void keep_parts(struct index_parts *parts, uint64_t nr)
{
	parts->parts = nr;
	parts->received = 0;
	for (uint64_t seq = 0; seq < INDEX_PARTS_MAX; seq++) {
		if (seq >= nr)
			parts->bitmap[seq / 8] &= ~(1U << seq % 8);
		else if (index_part_is_here(parts, seq))
			parts->received++;
	}
}

/* A second manifest replaces the first. The SHA-256 shows if the parts belong to it. */
static int add_manifest(struct collector *c, const struct index_host *host,
			const struct index_incident *incident, struct index_parts *parts,
			const struct index_manifest *manifest)
{
	/* A file without bytes has no parts. */
	int ret = files_write_part(&c->files, host->name, incident->name, incident->id, 0, "", 0);

	if (ret)
		return ret;
	keep_parts(parts, manifest->parts);
	parts->incident = incident->id;
	index_incident_manifest(&c->index, incident->id, manifest);
	write_parts(c, parts);
	return 0;
}

int handle_manifest(struct collector *c, const struct index_host *host, const struct message *m)
{
	static struct index_manifest manifest;
	static struct index_parts parts;
	struct index_incident incident;
	bool is_new = true;

	if (!manifest_parse(&manifest, m) || manifest.parts != parts_of(manifest.size))
		return refuse(c, host->id, REFUSED_MANIFEST);
	if (is_too_large(c, manifest.size) || manifest.parts > INDEX_PARTS_MAX)
		return refuse(c, host->id, REFUSED_TOO_LARGE);
	parts = (struct index_parts){ .parts = INDEX_UNKNOWN };
	if (index_incident_find(&c->index, host->id, m->source, &incident)) {
		if (incident.state == INCIDENT_STORED || incident.state == INCIDENT_REMOVED)
			return manifest_of_stored(c, host, &incident, &manifest);
		is_new = !index_parts_read(&c->index, incident.id, &parts);
	}
	/* A second manifest adds nothing to the host's share. */
	if (is_new && !has_share(c, host->id, true))
		return refuse(c, host->id, REFUSED_SHARE);
	if (!index_incident_get(&c->index, host->id, m->source, INCIDENT_INCOMING,
				collector_time(), &incident))
		return 0;
	return add_manifest(c, host, &incident, &parts, &manifest);
}

int handle_loss(struct collector *c, const struct index_host *host, const struct message *m)
{
	int64_t time = collector_time();
	struct index_incident incident;
	static struct index_loss loss;
	int ret = 0;

	loss_parse(&loss, m);
	if (!index_incident_get(&c->index, host->id, m->source, INCIDENT_LOST, time, &incident))
		return 0;
	if (incident.state != INCIDENT_STORED && incident.state != INCIDENT_REMOVED) {
		index_parts_remove(&c->index, incident.id);
		index_incident_lost(&c->index, incident.id, &loss, time);
		index_incidents_trim(&c->index, host->id);
		permits_end(c, host->id, incident.id);
		ret = files_remove_part(&c->files, host->name, incident.name, incident.id);
	}
	replies_add(&c->replies, host, incident.name, MESSAGE_STORED, NULL);
	return ret;
}

int handle_answer(struct collector *c, const struct index_host *host, const struct message *m)
{
	struct index_command command;
	struct index_answer answer;

	if (!answer_parse(&answer, m) || !index_command_find(&c->index, m->source, &command))
		return refuse(c, host->id, REFUSED_COMMAND);
	index_answer(&c->index, command.id, host->id, &answer, collector_time());
	return 0;
}
