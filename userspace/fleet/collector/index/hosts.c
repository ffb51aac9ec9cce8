// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "hosts.h"

static const char by_name[] = "SELECT id, name, boot FROM host WHERE name = ?1";
static const char by_id[] = "SELECT id, name, boot FROM host WHERE id = ?1";
static const char by_turn[] = "SELECT id, name, boot FROM host WHERE wants ORDER BY turn LIMIT 1";
/* A message that was refused names no boot. */
static const char seen[] =
	"UPDATE host SET last_seen = ?2, boot = CASE ?3 WHEN '' THEN boot ELSE ?3 END"
	" WHERE id = ?1";
/* A new host comes after those that wait already. */
static const char add[] =
	"INSERT INTO host (name, boot, first_seen, last_seen, turn)"
	" VALUES (?1, ?2, ?3, ?3, (SELECT ifnull(max(turn), 0) + 1 FROM host))";
static const char hello_text[] =
	"UPDATE host SET hello = ?2, version = ?3, kernel = ?4, spool_bytes = ?5, waiting = ?6,"
	" events = ?7, lost = ?8, clock_error = ?9, time_tai = ?10 WHERE id = ?1";
static const char set_wants[] = "UPDATE host SET wants = ?2 WHERE id = ?1 AND wants <> ?2";
static const char set_turn[] =
	"UPDATE host SET wants = 0, turn = (SELECT max(turn) + 1 FROM host) WHERE id = ?1";
static const char forget_refused[] =
	"DELETE FROM refused WHERE host IN (SELECT id FROM host WHERE last_seen < ?1"
	" AND NOT EXISTS (SELECT 1 FROM incident WHERE incident.host = host.id))";
static const char forget[] =
	"DELETE FROM host WHERE last_seen < ?1"
	" AND NOT EXISTS (SELECT 1 FROM incident WHERE incident.host = host.id)"
	" AND NOT EXISTS (SELECT 1 FROM stream_file WHERE stream_file.host = host.id)"
	" AND NOT EXISTS (SELECT 1 FROM answer WHERE answer.host = host.id)";

static bool take_host(struct fleet_index *ix, sqlite3_stmt *st, struct index_host *host)
{
	if (!index_row(ix, st))
		return false;
	host->id = sqlite3_column_int64(st, 0);
	index_copy_text(st, 1, host->name, sizeof(host->name));
	index_copy_text(st, 2, host->boot, sizeof(host->boot));
	index_end(st);
	return true;
}

bool index_host_by_id(struct fleet_index *ix, int64_t id, struct index_host *host)
{
	return take_host(ix, index_select(ix, by_id, "i", id), host);
}

bool index_host_next(struct fleet_index *ix, struct index_host *host)
{
	return take_host(ix, index_select(ix, by_turn, ""), host);
}

bool index_host_seen(struct fleet_index *ix, const char *name, const char *boot, int64_t now,
		     struct index_host *host)
{
	if (take_host(ix, index_select(ix, by_name, "s", name), host)) {
		index_run(ix, seen, "iis", host->id, now, boot);
	} else {
		if (index_number(ix, 0, "SELECT count(*) FROM host", "") >= INDEX_HOSTS_MAX)
			return false;
		index_run(ix, add, "ssi", name, boot, now);
	}
	return take_host(ix, index_select(ix, by_name, "s", name), host);
}

void index_host_hello(struct fleet_index *ix, int64_t host, const struct index_hello *h,
		      int64_t now)
{
	index_run(ix, hello_text, "iissuuuuuu", host, now, h->version, h->kernel, h->spool_bytes,
		  h->waiting, h->events, h->lost, h->clock_error, h->time_tai);
}

void index_host_wants(struct fleet_index *ix, int64_t host, bool wants)
{
	index_run(ix, set_wants, "ii", host, (int64_t)wants);
}

void index_host_turn(struct fleet_index *ix, int64_t host)
{
	index_run(ix, set_turn, "i", host);
}

void index_hosts_forget(struct fleet_index *ix, int64_t before)
{
	index_run(ix, forget_refused, "i", before);
	index_run(ix, forget, "i", before);
}
