// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "collector/index/hosts.h"
#include "collector/index/incidents.h"
#include "collector/index/streams.h"
#include "upkeep.h"

#define DAY		(24 * 3600 * NS_PER_SEC)

static const char stored_bytes[] = "SELECT sum(size) FROM incident WHERE state = 'stored'";
/* A host with more files fills the index, and not the disk. */
static const char crowded[] =
	"SELECT host FROM incident WHERE state = 'stored' GROUP BY host HAVING count(*) > 10000"
	" LIMIT 1";

void retention_begin(struct collector *c)
{
	c->stored_bytes = index_number(&c->index, 0, stored_bytes, "") +
			  index_stream_bytes(&c->index);
}

/* Remove the file before the row: after a crash the row is still the oldest one. */
static bool remove_one(struct collector *c, const struct index_incident *incident)
{
	struct index_host host;
	int ret = 0;

	index_begin(&c->index);
	if (index_host_by_id(&c->index, incident->host, &host))
		ret = files_remove_incident(&c->files, host.name, incident->name);
	if (ret) {
		index_rollback(&c->index);
		collector_report(c, "cannot remove the incident %s of %s in %s: %s", incident->name,
				 host.name, c->options->directory, strerror(-ret));
		return false;
	}
	index_incident_set(&c->index, incident->id, INCIDENT_REMOVED, collector_time());
	index_incidents_trim(&c->index, incident->host);
	if (!index_commit(&c->index))
		return false;
	c->stored_bytes -= incident->size < c->stored_bytes ? incident->size : c->stored_bytes;
	return true;
}

static bool remove_stream(struct collector *c, const struct index_stream_file *f)
{
	struct index_host host = { 0 };
	int ret = 0;

	index_begin(&c->index);
	if (index_host_by_id(&c->index, f->host, &host))
		ret = stream_files_remove(&c->streams, host.name, f);
	if (ret) {
		index_rollback(&c->index);
		collector_report(c, "cannot remove a stream of %s in %s: %s", host.name,
				 c->options->directory, strerror(-ret));
		return false;
	}
	index_stream_file_remove(&c->index, f);
	if (!index_commit(&c->index))
		return false;
	c->stored_bytes -= f->size < c->stored_bytes ? f->size : c->stored_bytes;
	return true;
}

static bool exceeds(const struct collector *c, int64_t changed)
{
	const struct collect_options *o = c->options;

	return (o->keep_size_kb && c->stored_bytes > o->keep_size_kb << 10) ||
	       (o->keep_days && collector_time() - changed > (int64_t)o->keep_days * DAY);
}

/* Remove the oldest incident or file of a stream. Return false if all can stay. */
static bool remove_oldest(struct collector *c)
{
	struct index_incident incident;
	struct index_stream_file f;
	int64_t changed = INT64_MAX;
	bool has_incident = index_incident_oldest(&c->index, 0, &incident, &changed);

	if (index_stream_file_oldest(&c->index, 0, &f) && (!has_incident || f.changed < changed))
		return exceeds(c, f.changed) && remove_stream(c, &f);
	return has_incident && exceeds(c, changed) && remove_one(c, &incident);
}

void retention_apply(struct collector *c)
{
	struct index_incident incident;
	struct index_stream_file f;
	int64_t changed, host;

	index_clear(&c->index);
	while (remove_oldest(c))
		;
	while ((host = index_number(&c->index, 0, crowded, "")) &&
	       index_incident_oldest(&c->index, host, &incident, &changed))
		if (!remove_one(c, &incident))
			return;
	while ((host = index_stream_crowded(&c->index, c->options->max_stream_kb << 10)) &&
	       index_stream_file_oldest(&c->index, host, &f))
		if (!remove_stream(c, &f))
			return;
}
