// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "collector/index/incidents.h"
#include "incoming.h"
#include "manifest.h"

#define INCOMING_MAX	64	/* incidents of a host at the same time */
/* Messages come in any order: wait for those that are on their way. */
#define PART_SECONDS	2
#define MANIFEST_SECONDS 10

int refuse(struct collector *c, int64_t host, enum refusal cause)
{
	index_refuse(&c->index, host, cause, collector_time());
	c->refused++;
	return 0;
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
