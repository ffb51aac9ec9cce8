// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap fleet fetch and stream: copies of incidents, and recordings of streams, in a directory
 * with manifest.txt. Lines of that file are NAME = VALUE. An empty line is between two incidents,
 * and between two recordings.
 *
 * fetch: the first lines are `host`, `incident`, `state` and `copy`, the name of the file if it
 * was copied. The manifest of the host follows.
 *
 * stream: the events that were `missed` are part of those that were `lost`. No ring has heard of
 * them. A line `ring` has a CPU, a generation of its ring, and sums since the stream began.
 * They are: events that came, events that were lost, losses without a number, messages that are
 * missing now, and the number of events that the ring had.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin/stream/stream_recording.h"
#include "base/complain.h"
#include "commands.h"
#include "copy.h"
#include "message/message.h"

#define MANIFEST	"manifest.txt"

/* The name in the folder of the host: names of hosts and of incidents could be put together. */
static void copy_name(sqlite3_stmt *st, char name[COPY_NAME_SIZE])
{
	snprintf(name, COPY_NAME_SIZE, "%s.dat", index_text(st, STORED_NAME));
}

/* Count the incidents. Return false if a file is there already, which is reported. */
static bool check_names(struct fleet_index *ix, const struct fleet_options *o, int dir,
			unsigned int *nr)
{
	sqlite3_stmt *st = stored_select(ix, o->id);
	bool good = copy_is_new(dir, MANIFEST, o->output);
	char name[COPY_NAME_SIZE], path[COPY_PATH_SIZE];

	*nr = 0;
	while (good && index_row(ix, st)) {
		copy_name(st, name);
		copy_path(path, index_text(st, STORED_HOST), name);
		good = copy_is_new(dir, path, o->output);
		(*nr)++;
	}
	index_end(st);
	return good;
}

static void add_manifest(struct buf *out, sqlite3_stmt *st, const char *copy)
{
	const char *text = index_text(st, STORED_MANIFEST);
	struct text t = { text, text + strlen(text) };
	char name[32], value[256];

	if (out->size)
		buf_add(out, "\n", 1);
	text_add(out, "host", index_text(st, STORED_HOST));
	text_add(out, "incident", index_text(st, STORED_NAME));
	text_add(out, "state", index_text(st, STORED_STATE));
	if (copy)
		text_add(out, "copy", copy);
	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		/* A host cannot add lines of the collector. */
		if (strcmp(name, "host") && strcmp(name, "incident") && strcmp(name, "state") &&
		    strcmp(name, "copy"))
			text_add(out, name, value);
}

/* Copy one file. Return the status. */
static int fetch_one(const struct fleet_options *o, int dir, sqlite3_stmt *st, struct buf *manifest)
{
	char name[COPY_NAME_SIZE], copy[COPY_PATH_SIZE], path[PATH_MAX];
	int status = STATUS_CUT, folder;

	copy_name(st, name);
	copy_path(copy, index_text(st, STORED_HOST), name);
	if (stored_is_there(st)) {
		stored_path(st, o->directory, path, sizeof(path));
		folder = copy_folder(dir, index_text(st, STORED_HOST), o->output);
		status = folder < 0 ? STATUS_ERROR :
			 copy_file(folder, name, path, index_text(st, STORED_SHA256));
		if (folder >= 0)
			close(folder);
	}
	add_manifest(manifest, st, status ? NULL : copy);
	return status;
}

static int fetch_all(struct fleet_index *ix, const struct fleet_options *o, int dir)
{
	sqlite3_stmt *st = stored_select(ix, o->id);
	struct buf manifest = { 0 };
	int status = STATUS_OK, ret;

	while (status != STATUS_ERROR && index_row(ix, st)) {
		ret = fetch_one(o, dir, st, &manifest);
		if (ret)
			status = ret;
	}
	index_end(st);
	if (status != STATUS_ERROR && !copy_text(dir, MANIFEST, &manifest, o->output))
		status = STATUS_ERROR;
	buf_free(&manifest);
	return status;
}

/* Hosts that have not answered a command are missing, too. */
static int add_unanswered(struct fleet_index *ix, const struct fleet_options *o, int status)
{
	struct index_command command;
	struct answers a;

	if (status == STATUS_ERROR || !index_command_find(ix, o->id, &command))
		return status;
	a = answers_count(ix, &command);
	if (a.answered < a.known)
		complain("%u of %u hosts have not answered: 'rbmap fleet show %s' lists them",
			 a.known - a.answered, a.known, o->id);
	return a.stored < a.known ? STATUS_CUT : status;
}

static int fetch_to(struct fleet_index *ix, const struct fleet_options *o, int dir)
{
	unsigned int nr;

	if (!check_names(ix, o, dir, &nr))
		return STATUS_ERROR;
	if (!nr && !ix->code) {
		complain("'%s' has no incidents: 'rbmap fleet incidents' lists them", o->id);
		return STATUS_ERROR;
	}
	return add_unanswered(ix, o, fetch_all(ix, o, dir));
}

/* Copy with @copy, to the directory of the option -o. */
static int copy_to(const struct fleet_options *o,
		   int (*copy)(struct fleet_index *ix, const struct fleet_options *o, int dir))
{
	int dir, status = STATUS_ERROR;
	struct fleet_index ix;

	if (!fleet_open_index(&ix, o, INDEX_READ))
		return STATUS_ERROR;
	dir = copy_directory(o->output);
	if (dir >= 0) {
		status = copy(&ix, o, dir);
		close(dir);
	}
	return fleet_close_index(&ix, o, status);
}

int fleet_fetch(const struct fleet_options *o)
{
	return copy_to(o, fetch_to);
}

static const char buffers[] =
	"SELECT host.name, host.id, f.boot, f.buffer, count(*) OVER (PARTITION BY host.id) FROM"
	" (SELECT DISTINCT host, boot, buffer FROM stream_file WHERE begin <= ?1 AND end >= ?2) f"
	" JOIN host ON host.id = f.host ORDER BY host.name, f.boot, f.buffer";
static const char rings[] =
	"SELECT cpu, generation, events, lost, unknown, number,"
	" ifnull((SELECT max(seq) + 1 - count(*) - next FROM stream_ahead"
	"  WHERE stream_ahead.source = stream_source.id), 0)"
	" FROM stream_source WHERE host = ?1 AND boot = ?2 AND buffer = ?3 AND cpu >= 0"
	" ORDER BY cpu, generation";	/* SQLite's own sum() fails beyond INT64_MAX. */

/*
 * A host has one recording in most cases. Several have a folder, which has a name that no
 * recording has; parts of a name that hosts choose could be put together to that of another.
 */
static bool name_copy(const struct stream_query *q, bool alone, int dir, const char *where,
		      char name[COPY_PATH_SIZE])
{
	char file[COPY_NAME_SIZE];
	int folder;

	if (alone) {
		snprintf(name, COPY_PATH_SIZE, "%s.dat", q->host);
		return true;
	}
	snprintf(file, sizeof(file), "%s-%s.dat", q->buffer, q->boot);
	copy_path(name, q->host, file);
	folder = copy_folder(dir, q->host, where);
	if (folder >= 0)
		close(folder);
	return folder >= 0;
}

/* The sources of a ring. One that was allocated again has several. */
struct ring_sums {
	uint64_t cpu, generation;
	uint64_t events, lost, unknown, number, missing;
	bool any;
};

static void add_ring(struct buf *out, const struct ring_sums *r)
{
	char line[256];

	if (!r->any)
		return;
	snprintf(line, sizeof(line), "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		 " %" PRIu64 " %" PRIu64, r->cpu, r->generation, r->events, r->lost, r->unknown,
		 r->missing, r->number);
	text_add(out, "ring", line);
}

/* Return the number of messages that are missing. */
static uint64_t add_rings(struct buf *out, struct fleet_index *ix, const struct stream_query *q)
{
	sqlite3_stmt *st = index_select(ix, rings, "iss", q->host_id, q->boot, q->buffer);
	struct ring_sums r = { 0 };
	uint64_t missing = 0;

	while (index_row(ix, st)) {
		if (r.cpu != index_u64(st, 0) || r.generation != index_u64(st, 1)) {
			add_ring(out, &r);
			r = (struct ring_sums){
				.cpu = index_u64(st, 0), .generation = index_u64(st, 1),
			};
		}
		r.any = true;
		r.events = stream_sum(r.events, index_u64(st, 2));
		r.lost = stream_sum(r.lost, index_u64(st, 3));
		r.unknown = stream_sum(r.unknown, index_u64(st, 4));
		r.number = index_u64(st, 5) > r.number ? index_u64(st, 5) : r.number;
		r.missing = stream_sum(r.missing, index_u64(st, 6));
		missing = stream_sum(missing, index_u64(st, 6));
	}
	add_ring(out, &r);
	index_end(st);
	return missing;
}

/* Return whether messages are missing, or could not be read. */
static bool describe(struct buf *out, struct fleet_index *ix, const struct stream_query *q,
		     const char *name, const struct stream_counts *counts)
{
	uint64_t error = q->nr_clocks ? q->clock[q->nr_clocks - 1].error : STREAM_CLOCK_UNKNOWN;
	uint64_t damaged = q->damaged + counts->damaged;

	if (out->size)
		buf_add(out, "\n", 1);
	text_add(out, "host", q->host);
	text_add(out, "boot", q->boot);
	text_add(out, "buffer", q->buffer);
	text_add(out, "copy", name);
	text_add_u64(out, "events", counts->events);
	text_add_u64(out, "lost", counts->lost);
	text_add_u64(out, "missed", counts->missed);
	text_add_u64(out, "losses-without-number", counts->unknown);
	text_add_u64(out, "missing", counts->missing);
	text_add_u64(out, "damaged", damaged);
	if (error != STREAM_CLOCK_UNKNOWN)
		text_add_u64(out, "clock-error", error);
	return add_rings(out, ix, q) || counts->missing || damaged;
}

/* Note that the manifest has no recording of it. */
static void describe_skipped(struct buf *out, const struct stream_query *q)
{
	if (out->size)
		buf_add(out, "\n", 1);
	text_add(out, "host", q->host);
	text_add(out, "boot", q->boot);
	text_add(out, "buffer", q->buffer);
	text_add(out, "state", "skipped");
}

static int stream_one(struct fleet_index *ix, const struct fleet_options *o, int dir,
		     struct stream_query *q, bool alone, struct buf *manifest)
{
	struct stream_counts counts = { 0 };
	char name[COPY_PATH_SIZE], path[PATH_MAX];
	int ret = stream_query_find(q, ix, o->directory), status;

	if (ret) {
		complain("cannot read the streams of %s in %s: %s", q->host, o->directory,
			 strerror(-ret));
		describe_skipped(manifest, q);
		return STATUS_CUT;
	}
	if (!q->nr)
		return STATUS_OK;
	if (!name_copy(q, alone, dir, o->output, name) || !copy_is_new(dir, name, o->output))
		return STATUS_ERROR;
	snprintf(path, sizeof(path), "%s/%s", o->output, name);
	status = stream_recording_write(q, path, &counts);
	if (status) {
		describe_skipped(manifest, q);
		return status;
	}
	return describe(manifest, ix, q, name, &counts) ? STATUS_CUT : STATUS_OK;
}

static int stream_all(struct fleet_index *ix, const struct fleet_options *o, int dir,
		     struct buf *manifest)
{
	uint64_t since = o->since > 0 ? o->since : 0;
	sqlite3_stmt *st = index_select(ix, buffers, "ii", o->until, (int64_t)since);
	int status = STATUS_OK, ret;

	while (status != STATUS_ERROR && index_row(ix, st)) {
		struct stream_query q = { .since = since, .until = o->until, .dir = -1 };

		index_copy_text(st, 0, q.host, sizeof(q.host));
		q.host_id = sqlite3_column_int64(st, 1);
		index_copy_text(st, 2, q.boot, sizeof(q.boot));
		index_copy_text(st, 3, q.buffer, sizeof(q.buffer));
		if (!fleet_has_host(o->hosts, q.host))
			continue;
		ret = stream_one(ix, o, dir, &q, sqlite3_column_int(st, 4) == 1, manifest);
		stream_query_free(&q);
		status = ret ? ret : status;
	}
	index_end(st);
	return status;
}

static int stream_to(struct fleet_index *ix, const struct fleet_options *o, int dir)
{
	struct buf manifest = { 0 };
	int status;

	if (!copy_is_new(dir, MANIFEST, o->output))
		return STATUS_ERROR;
	status = stream_all(ix, o, dir, &manifest);
	if (status != STATUS_ERROR && !manifest.size && !ix->code) {
		complain("no host has streamed events in that time");
		status = STATUS_ERROR;
	}
	if (status != STATUS_ERROR && !copy_text(dir, MANIFEST, &manifest, o->output))
		status = STATUS_ERROR;
	buf_free(&manifest);
	return status;
}

int fleet_stream(const struct fleet_options *o)
{
	return copy_to(o, stream_to);
}
