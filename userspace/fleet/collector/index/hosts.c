// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "hosts.h"

#define COMMANDS_KEPT	"1000"

static const char by_name[] = "SELECT id, name, boot FROM host WHERE name = ?1";
static const char by_id[] = "SELECT id, name, boot FROM host WHERE id = ?1";
static const char by_turn[] = "SELECT id, name, boot FROM host WHERE wants ORDER BY turn LIMIT 1";
/* A message that was refused names no boot. */
static const char seen[] =
	"UPDATE host SET last_seen = ?2, boot = CASE ?3 WHEN '' THEN boot ELSE ?3 END"
	" WHERE id = ?1";
/* A new host comes after those that wait already. */
static const char add_host[] =
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
#define GONE								\
	" FROM host WHERE last_seen < ?1"					\
	" AND NOT EXISTS (SELECT 1 FROM incident WHERE incident.host = host.id)" \
	" AND NOT EXISTS (SELECT 1 FROM stream_file WHERE stream_file.host = host.id)" \
	" AND NOT EXISTS (SELECT 1 FROM stream_head WHERE stream_head.host = host.id)" \
	" AND NOT EXISTS (SELECT 1 FROM answer WHERE answer.host = host.id)"
#define GONE_SOURCES	" FROM stream_source WHERE host IN (SELECT id" GONE ")"
static const char forget_ahead[] =
	"DELETE FROM stream_ahead WHERE source IN (SELECT id" GONE_SOURCES ")";
/* Another host can get the same id. */
static const char forget_sources[] = "DELETE" GONE_SOURCES;
static const char forget_hosts[] = "DELETE" GONE;

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
		index_run(ix, add_host, "ssi", name, boot, now);
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
	index_run(ix, forget_ahead, "i", before);
	index_run(ix, forget_sources, "i", before);
	index_run(ix, forget_hosts, "i", before);
}

static const char add_command[] =
	"INSERT INTO command (name, action, hosts, reason, time)"
	" VALUES (?1, 'snapshot', ?2, ?3, ?4)";
static const char trim_commands[] =
	"DELETE FROM command WHERE id <= (SELECT id FROM command ORDER BY id DESC LIMIT 1"
	" OFFSET " COMMANDS_KEPT ")";
static const char trim_answers[] =
	"DELETE FROM answer WHERE command < (SELECT ifnull(min(id), 0) FROM command)";
static const char remove_command[] = "DELETE FROM command WHERE name = ?1";
static const char find_command[] =
	"SELECT id, name, hosts, reason, time FROM command WHERE name = ?1";
static const char answer_text[] =
	"INSERT OR REPLACE INTO answer (command, host, state, error, incident, oldest, late,"
	" received, clock_error, arrived)"
	" VALUES (?1, ?2, ?3, ?4, nullif(?5, ''), ?6, ?7, ?8, ?9, ?10)";

void index_command_add(struct fleet_index *ix, const struct index_command *c)
{
	index_run(ix, add_command, "sssi", c->name, c->hosts, c->reason, c->time);
	index_run(ix, trim_commands, "");
	index_run(ix, trim_answers, "");
}

void index_command_remove(struct fleet_index *ix, const char *name)
{
	index_run(ix, remove_command, "s", name);
}

bool index_command_find(struct fleet_index *ix, const char *name, struct index_command *c)
{
	sqlite3_stmt *st = index_select(ix, find_command, "s", name);

	if (!index_row(ix, st))
		return false;
	c->id = sqlite3_column_int64(st, 0);
	index_copy_text(st, 1, c->name, sizeof(c->name));
	index_copy_text(st, 2, c->hosts, sizeof(c->hosts));
	index_copy_text(st, 3, c->reason, sizeof(c->reason));
	c->time = sqlite3_column_int64(st, 4);
	index_end(st);
	return true;
}

void index_answer(struct fleet_index *ix, int64_t command, int64_t host,
		  const struct index_answer *a, int64_t now)
{
	index_run(ix, answer_text, "iisssuuuui", command, host, a->state, a->error, a->incident,
		  a->oldest, a->late, a->received, a->clock_error, now);
}

static const char *const refusal_texts[NR_REFUSALS] = {
	[REFUSED_DAMAGED]	= "damaged message",
	[REFUSED_HOST]		= "another host's name",
	[REFUSED_KIND]		= "not a message of a host",
	[REFUSED_NAME]		= "invalid name of an incident",
	[REFUSED_PART]		= "invalid part",
	[REFUSED_MANIFEST]	= "invalid manifest",
	[REFUSED_TOO_LARGE]	= "incident too large",
	[REFUSED_SHARE]		= "more than the host's share",
	[REFUSED_OTHER_FILE]	= "another file of the same id",
	[REFUSED_SUM]		= "wrong SHA-256",
	[REFUSED_COMMAND]	= "answer to an unknown command",
	[REFUSED_STREAM]	= "invalid message of a stream",
	[REFUSED_HOSTS]		= "too many hosts",
	[REFUSED_RATE]		= "too many messages at once",
	[REFUSED_STORE]		= "cannot be stored",
};

static const char count_refusal[] =
	"INSERT INTO refused (host, cause, number, last) VALUES (?1, ?2, 1, ?3)"
	" ON CONFLICT DO UPDATE SET number = number + 1, last = ?3";

void index_refuse(struct fleet_index *ix, int64_t host, enum refusal cause, int64_t now)
{
	index_run(ix, count_refusal, "isi", host, refusal_texts[cause], now);
}
