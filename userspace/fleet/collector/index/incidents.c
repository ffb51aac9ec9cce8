// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "incidents.h"

/* Rows of a host that have no file. Losses are among them. */
#define KEPT_WITHOUT_FILE	"1000"
#define FAILURES_MAX		"3"
#define COLUMNS			"SELECT id, host, name, state, size, sha256, failures FROM incident "

static const char *const states[NR_INCIDENT_STATES] = {
	[INCIDENT_ANNOUNCED]	= "announced",
	[INCIDENT_PERMITTED]	= "permitted",
	[INCIDENT_INCOMING]	= "incoming",
	[INCIDENT_STORED]	= "stored",
	[INCIDENT_DAMAGED]	= "damaged",
	[INCIDENT_LOST]		= "lost",
	[INCIDENT_REMOVED]	= "removed",
};

static const char by_name[] = COLUMNS "WHERE host = ?1 AND name = ?2";
static const char by_id[] = COLUMNS "WHERE id = ?1";
static const char to_send[] =
	COLUMNS "WHERE host = ?1 AND state IN ('announced', 'incoming', 'damaged')"
	" AND hello = (SELECT hello FROM host WHERE id = ?1)"
	" AND (failures < " FAILURES_MAX " OR changed < ?2) ORDER BY id LIMIT 1";
static const char add[] =
	"INSERT INTO incident (host, name, state, changed, time) VALUES (?1, ?2, ?3, ?4, ?4)";
static const char set_state[] =
	"UPDATE incident SET state = ?2, changed = ?3 WHERE id = ?1 AND state <> ?2";
static const char listed[] =
	"UPDATE incident SET size = ifnull(size, ?2), hello = ?3 WHERE id = ?1";
static const char unlisted_lost[] =
	"UPDATE incident SET state = 'lost' WHERE host = ?1 AND state = 'announced'"
	" AND hello IS NOT ?2 AND cause IS NOT NULL";
static const char unlisted[] =
	"DELETE FROM incident WHERE host = ?1 AND state = 'announced' AND hello IS NOT ?2";
static const char set_manifest[] =
	"UPDATE incident SET size = ?2, sha256 = ?3, events = ?4, lost = ?5,"
	" time = ifnull(?6, time), reason = ?7, command = nullif(?8, ''), manifest = ?9"
	" WHERE id = ?1";
static const char stored[] =
	"UPDATE incident SET state = 'stored', changed = ?2, recording = ?3 WHERE id = ?1";
static const char damaged[] =
	"UPDATE incident SET state = 'damaged', changed = ?2, failures = failures + 1"
	" WHERE id = ?1";
static const char lost[] =
	"UPDATE incident SET state = 'lost', changed = ?2, size = ifnull(?3, size),"
	" events = ifnull(?4, events), lost = ?5, cause = ?6, manifest = ifnull(manifest, nullif(?7, ''))"
	" WHERE id = ?1";
static const char again_lost[] =
	"UPDATE incident SET state = 'lost', changed = ?2 WHERE id = ?1 AND cause IS NOT NULL";
static const char unknown[] = "DELETE FROM incident WHERE id = ?1 AND cause IS NULL";
static const char no_permits[] =
	"UPDATE incident SET state = 'announced' WHERE state = 'permitted'";
static const char oldest[] =
	"SELECT id, changed FROM incident WHERE state = 'stored' ORDER BY changed LIMIT 1";
static const char oldest_of[] =
	"SELECT id, changed FROM incident WHERE state = 'stored' AND host = ?1"
	" ORDER BY changed LIMIT 1";
static const char trim[] =
	"DELETE FROM incident WHERE host = ?1 AND state IN ('damaged', 'lost', 'removed')"
	" AND id <= (SELECT id FROM incident WHERE host = ?1"
	"  AND state IN ('damaged', 'lost', 'removed')"
	"  ORDER BY id DESC LIMIT 1 OFFSET " KEPT_WITHOUT_FILE ")";

const char *incident_state_text(enum incident_state state)
{
	return states[state];
}

static enum incident_state parse_state(const char *text)
{
	for (enum incident_state s = 0; s < NR_INCIDENT_STATES; s++)
		if (!strcmp(states[s], text))
			return s;
	return INCIDENT_REMOVED;
}

static bool take_incident(struct fleet_index *ix, sqlite3_stmt *st, struct index_incident *incident)
{
	if (!index_row(ix, st))
		return false;
	incident->id = sqlite3_column_int64(st, 0);
	incident->host = sqlite3_column_int64(st, 1);
	index_copy_text(st, 2, incident->name, sizeof(incident->name));
	incident->state = parse_state(index_text(st, 3));
	incident->size = index_u64(st, 4);
	index_copy_text(st, 5, incident->sha256, sizeof(incident->sha256));
	incident->failures = sqlite3_column_int(st, 6);
	index_end(st);
	return true;
}

bool index_incident_find(struct fleet_index *ix, int64_t host, const char *name,
			 struct index_incident *incident)
{
	return take_incident(ix, index_select(ix, by_name, "is", host, name), incident);
}

bool index_incident_by_id(struct fleet_index *ix, int64_t id, struct index_incident *incident)
{
	return take_incident(ix, index_select(ix, by_id, "i", id), incident);
}

bool index_incident_get(struct fleet_index *ix, int64_t host, const char *name,
			enum incident_state state, int64_t now, struct index_incident *incident)
{
	if (index_incident_find(ix, host, name, incident))
		return true;
	index_run(ix, add, "issi", host, name, states[state], now);
	return index_incident_find(ix, host, name, incident);
}

void index_incident_set(struct fleet_index *ix, int64_t id, enum incident_state state, int64_t now)
{
	index_run(ix, set_state, "isi", id, states[state], now);
}

void index_incident_listed(struct fleet_index *ix, int64_t id, uint64_t size, int64_t now)
{
	index_run(ix, listed, "iui", id, size, now);
}

void index_incidents_unlisted(struct fleet_index *ix, int64_t host, int64_t now)
{
	index_run(ix, unlisted_lost, "ii", host, now);
	index_run(ix, unlisted, "ii", host, now);
}

void index_incident_manifest(struct fleet_index *ix, int64_t id, const struct index_manifest *m)
{
	index_run(ix, set_manifest, "iusuuusss", id, m->size, m->sha256, m->events, m->lost,
		  m->time, m->reason, m->command, m->text);
}

void index_incident_stored(struct fleet_index *ix, int64_t id, bool is_recording, int64_t now)
{
	index_run(ix, stored, "iii", id, now, (int64_t)is_recording);
}

void index_incident_damaged(struct fleet_index *ix, int64_t id, int64_t now)
{
	index_run(ix, damaged, "ii", id, now);
}

void index_incident_lost(struct fleet_index *ix, int64_t id, const struct index_loss *loss,
			 int64_t now)
{
	index_run(ix, lost, "iiuuuss", id, now, loss->size, loss->events, loss->lost, loss->cause,
		  loss->text);
}

void index_incident_give_up(struct fleet_index *ix, int64_t id, int64_t now)
{
	index_run(ix, again_lost, "ii", id, now);
	index_run(ix, unknown, "i", id);
}

bool index_incident_to_send(struct fleet_index *ix, int64_t host, int64_t before,
			    struct index_incident *incident)
{
	return take_incident(ix, index_select(ix, to_send, "ii", host, before), incident);
}

void index_incidents_no_permits(struct fleet_index *ix)
{
	index_run(ix, no_permits, "");
}

bool index_incident_oldest(struct fleet_index *ix, int64_t host, struct index_incident *incident,
			   int64_t *changed)
{
	sqlite3_stmt *st = host ? index_select(ix, oldest_of, "i", host) :
				  index_select(ix, oldest, "");
	int64_t id;

	if (!index_row(ix, st))
		return false;
	id = sqlite3_column_int64(st, 0);
	*changed = sqlite3_column_int64(st, 1);
	index_end(st);
	return index_incident_by_id(ix, id, incident);
}

void index_incidents_trim(struct fleet_index *ix, int64_t host)
{
	index_run(ix, trim, "i", host);
}
