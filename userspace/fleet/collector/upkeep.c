// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/index/hosts.h"
#include "collector/index/incidents.h"
#include "collector/index/stream_heads.h"
#include "collector/index/stream_sources.h"
#include "collector/index/streams.h"
#include "message/message.h"
#include "upkeep.h"

#define PART_SUFFIX	".part"
#define DAY		(24 * 3600 * NS_PER_SEC)
#define MISSING_LINES	256
#define ASK_AGAIN	(30 * NS_PER_SEC)
#define ASK_MAX		5
#define INCOMING_OLD	(24 * 3600 * NS_PER_SEC)
#define HEADS_OLD	(3600 * NS_PER_SEC)	/* Events follow a head at once. */
#define HEADS_AT_ONCE	256
#define SOURCE_OVER	(600 * NS_PER_SEC)	/* A transport has forgotten its messages. */
#define SOURCE_OLD	(3600 * NS_PER_SEC)
#define HOST_OLD	(90LL * 24 * 3600 * NS_PER_SEC)

static const char is_known[] =
	"SELECT 1 FROM incident JOIN host ON host.id = incident.host"
	" JOIN incoming ON incoming.incident = incident.id"
	" WHERE host.name = ?1 AND incident.name = ?2";

static void check_file(struct collector *c, int dir, const char *host, const char *file)
{
	size_t len = strlen(file), suffix = strlen(PART_SUFFIX);
	char name[SOURCE_NAME_SIZE];

	if (len <= suffix || len - suffix >= sizeof(name) || strcmp(file + len - suffix, PART_SUFFIX))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)(len - suffix), file);
	if (!index_number(&c->index, 0, is_known, "ss", host, name) && !c->index.code)
		unlinkat(dir, file, 0);
}

static DIR *open_at(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static void check_host(struct collector *c, const char *host)
{
	DIR *dir = open_at(c->files.incoming, host);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		check_file(c, dirfd(dir), host, entry->d_name);
	if (dir)
		closedir(dir);
}

void leftovers_remove(struct collector *c)
{
	DIR *dir = open_at(c->files.incoming, ".");
	struct dirent *entry;

	index_clear(&c->index);
	while (dir && (entry = readdir(dir)))
		if (is_host_name(entry->d_name))
			check_host(c, entry->d_name);
	if (dir)
		closedir(dir);
}

static const char stored_bytes[] = "SELECT sum(size) FROM incident WHERE state = 'stored'";
/* A host with more files fills the index, and not the disk. */
static const char crowded[] =
	"SELECT host FROM incident WHERE state = 'stored' GROUP BY host HAVING count(*) > 10000"
	" LIMIT 1";

static const char shift_incidents[] =
	"UPDATE incident SET changed = changed + ?1 WHERE state = 'stored'"
	" AND changed BETWEEN ?2 AND ?3";
static const char shift_streams[] =
	"UPDATE stream_file SET changed = changed + ?1 WHERE changed BETWEEN ?2 AND ?3";

void retention_begin(struct collector *c)
{
	c->stored_bytes = index_number(&c->index, 0, stored_bytes, "") +
			  index_stream_bytes(&c->index);
}

static void count_removed(struct collector *c, uint64_t bytes)
{
	c->stored_bytes -= bytes < c->stored_bytes ? bytes : c->stored_bytes;
}

/* Remove the file before the row: after a crash the row is still the oldest one. */
static bool remove_incident(struct collector *c, const struct index_incident *incident)
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
	count_removed(c, incident->size);
	return true;
}

/* Remove what no recording needs. Store the bytes, and return 0 or an errno. */
static int remove_heads(struct collector *c, const char *host, const struct index_buffer *b,
			uint64_t *removed)
{
	int ret = stream_files_remove_buffer(&c->streams, host, b->boot, b->buffer);

	if (ret)
		return ret;
	*removed = index_heads_bytes(&c->index, b);
	index_heads_remove(&c->index, b);
	return 0;
}

/* Remove a file. The heads go with the last one, unless that boot can send events yet. */
static int remove_file(struct collector *c, const char *host, const struct index_stream_file *f,
		       uint64_t *removed)
{
	struct index_buffer b = { .host = f->host };
	int ret = stream_files_remove(&c->streams, host, f);

	memcpy(b.boot, f->boot, sizeof(b.boot));
	memcpy(b.buffer, f->buffer, sizeof(b.buffer));
	*removed = 0;
	if (ret)
		return ret;
	index_stream_file_remove(&c->index, f);
	return index_buffer_is_over(&c->index, &b) ? remove_heads(c, host, &b, removed) : 0;
}

static bool remove_stream(struct collector *c, const struct index_stream_file *f)
{
	struct index_host host = { 0 };
	uint64_t heads = 0;
	int ret = 0;

	index_begin(&c->index);
	if (index_host_by_id(&c->index, f->host, &host))
		ret = remove_file(c, host.name, f, &heads);
	else
		index_stream_file_remove(&c->index, f);
	if (ret) {
		index_rollback(&c->index);
		collector_report(c, "cannot remove a stream of %s in %s: %s", host.name,
				 c->options->directory, strerror(-ret));
		return false;
	}
	if (!index_commit(&c->index))
		return false;
	count_removed(c, f->size + heads);
	return true;
}

/* End a transaction, and send what it has to say. Return whether the index was written. */
static bool finish(struct collector *c)
{
	if (index_commit(&c->index)) {
		replies_send(c);
		return true;
	}
	replies_discard(&c->replies);
	collector_report(c, "cannot write the index in %s: %s", c->options->directory,
			 c->index.error);
	return false;
}

static int64_t boot_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * NS_PER_SEC + t.tv_nsec;
}

/*
 * A machine can boot with a clock that is years behind. When that is set, what was stored
 * since the boot is not old: correct its times.
 */
static void follow_clock(struct collector *c)
{
	int64_t real = collector_time(), boot = boot_time();
	int64_t step = real - c->clock_real - (boot - c->clock_boot), last = real - step;

	if (c->clock_boot && llabs(step) > DAY) {
		index_begin(&c->index);
		index_run(&c->index, shift_incidents, "iii", step, last - boot, last);
		index_run(&c->index, shift_streams, "iii", step, last - boot, last);
		if (!finish(c))
			return;
	}
	c->clock_real = real;
	c->clock_boot = boot;
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
	return has_incident && exceeds(c, changed) && remove_incident(c, &incident);
}

void retention_apply(struct collector *c)
{
	struct index_incident incident;
	struct index_stream_file f;
	int64_t changed, host;

	index_clear(&c->index);
	follow_clock(c);
	while (remove_oldest(c))
		;
	while ((host = index_number(&c->index, 0, crowded, "")) &&
	       index_incident_oldest(&c->index, host, &incident, &changed))
		if (!remove_incident(c, &incident))
			return;
	while ((host = index_stream_crowded(&c->index, c->options->max_stream_kb << 10)) &&
	       index_stream_file_oldest(&c->index, host, &f))
		if (!remove_stream(c, &f))
			return;
}

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

/* Each run of an agent has sources of its own. Make room for those of the next ones. */
static void trim_sources(struct collector *c, int64_t host)
{
	int64_t time = collector_time();
	struct index_stream_file f;

	index_begin(&c->index);
	index_sources_fold(&c->index, host, time - SOURCE_OVER);
	index_sources_forget(&c->index, host, time - SOURCE_OLD);
	if (!finish(c))
		return;
	while (index_sources_are_many(&c->index, host) &&
	       index_stream_file_over(&c->index, host, &f))
		if (!remove_stream(c, &f))
			return;
}

void upkeep_sources(struct collector *c)
{
	int64_t host = 0;

	index_clear(&c->index);
	while ((host = index_sources_crowded(&c->index, host)))
		trim_sources(c, host);
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

/* Heads whose files are gone, or have never come */
static uint64_t remove_old_heads(struct collector *c, int64_t time)
{
	uint64_t bytes, removed = 0;
	struct index_buffer b;
	struct index_host host;

	for (int i = 0; i < HEADS_AT_ONCE &&
	     index_heads_old(&c->index, time - HEADS_OLD, time - HOST_OLD, &b); i++) {
		if (!index_host_by_id(&c->index, b.host, &host) ||
		    remove_heads(c, host.name, &b, &bytes))
			break;
		removed += bytes;
	}
	return removed;
}

void upkeep_remove_old(struct collector *c)
{
	int64_t time = collector_time(), id;
	uint64_t heads;

	index_begin(&c->index);
	while ((id = index_parts_old(&c->index, time - INCOMING_OLD)))
		remove_parts(c, id, time);
	heads = remove_old_heads(c, time);
	index_hosts_forget(&c->index, time - HOST_OLD);
	if (finish(c))
		count_removed(c, heads);
}
