// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
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

static const char read_parts[] =
	"SELECT parts, received, bitmap, asked FROM incoming WHERE incident = ?1";
static const char write_parts[] =
	"INSERT INTO incoming (incident, parts, received, bitmap, changed, ask, asked)"
	" VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0) ON CONFLICT DO UPDATE SET parts = ?2,"
	" received = ?3, bitmap = ?4, changed = ?5, ask = ?6, asked = 0";
static const char set_asked[] =
	"UPDATE incoming SET ask = ?2, asked = asked + 1 WHERE incident = ?1";
static const char remove_parts[] = "DELETE FROM incoming WHERE incident = ?1";
static const char parts_of_host[] =
	"SELECT ifnull(sum(incoming.received), 0), count(*) FROM incident"
	" JOIN incoming ON incoming.incident = incident.id"
	" WHERE incident.host = ?1 AND incident.state IN ('incoming', 'damaged')";
static const char complete_parts[] =
	"SELECT min(incoming.incident), incident.host, host.name FROM incoming"
	" JOIN incident ON incident.id = incoming.incident JOIN host ON host.id = incident.host"
	" WHERE incoming.received = incoming.parts GROUP BY incident.host";
static const char to_ask[] =
	"SELECT incident FROM incoming WHERE ask IS NOT NULL AND ask <= ?1 ORDER BY ask LIMIT 1";
static const char old_parts[] = "SELECT incident FROM incoming WHERE changed < ?1 LIMIT 1";

bool index_parts_read(struct fleet_index *ix, int64_t incident, struct index_parts *parts)
{
	sqlite3_stmt *st = index_select(ix, read_parts, "i", incident);
	size_t size;

	*parts = (struct index_parts){ .incident = incident, .parts = INDEX_UNKNOWN };
	if (!index_row(ix, st))
		return false;
	parts->parts = index_u64(st, 0);
	parts->received = sqlite3_column_int64(st, 1);
	parts->asked = sqlite3_column_int(st, 3);
	size = sqlite3_column_bytes(st, 2);
	if (size)
		memcpy(parts->bitmap, sqlite3_column_blob(st, 2),
		       size < sizeof(parts->bitmap) ? size : sizeof(parts->bitmap));
	index_end(st);
	return true;
}

/* The bytes up to the last bit that is set */
static size_t used_bytes(const struct index_parts *parts)
{
	size_t size = sizeof(parts->bitmap);

	while (size && !parts->bitmap[size - 1])
		size--;
	return size;
}

void index_parts_write(struct fleet_index *ix, const struct index_parts *parts, int64_t now,
		       uint64_t ask)
{
	index_run(ix, write_parts, "iuubiu", parts->incident, parts->parts, parts->received,
		  parts->bitmap, used_bytes(parts), now, ask);
}

void index_parts_asked(struct fleet_index *ix, int64_t incident, uint64_t ask)
{
	index_run(ix, set_asked, "iu", incident, ask);
}

void index_parts_remove(struct fleet_index *ix, int64_t incident)
{
	index_run(ix, remove_parts, "i", incident);
}

bool index_part_is_here(const struct index_parts *parts, uint64_t seq)
{
	return parts->bitmap[seq / 8] >> seq % 8 & 1;
}

void index_part_add(struct index_parts *parts, uint64_t seq)
{
	parts->bitmap[seq / 8] |= 1U << seq % 8;
	parts->received++;
}

void index_parts_clear(struct index_parts *parts)
{
	memset(parts->bitmap, 0, sizeof(parts->bitmap));
	parts->received = 0;
}

void index_parts_missing(const struct index_parts *parts, struct buf *out, unsigned int lines)
{
	uint64_t nr = parts->parts < INDEX_PARTS_MAX ? parts->parts : INDEX_PARTS_MAX;
	char range[48];

	for (uint64_t seq = 0, first; seq < nr && lines; lines--) {
		while (seq < nr && index_part_is_here(parts, seq))
			seq++;
		if (seq == nr)
			break;
		first = seq;
		while (seq < nr && !index_part_is_here(parts, seq))
			seq++;
		snprintf(range, sizeof(range), "%" PRIu64 "-%" PRIu64, first, seq - 1);
		text_add(out, "part", range);
	}
}

uint64_t index_parts_of_host(struct fleet_index *ix, int64_t host, uint64_t *incidents)
{
	sqlite3_stmt *st = index_select(ix, parts_of_host, "i", host);
	uint64_t parts = 0;

	*incidents = 0;
	if (!index_row(ix, st))
		return 0;
	parts = sqlite3_column_int64(st, 0);
	*incidents = sqlite3_column_int64(st, 1);
	index_end(st);
	return parts;
}

sqlite3_stmt *index_parts_complete(struct fleet_index *ix)
{
	return index_select(ix, complete_parts, "");
}

int64_t index_parts_to_ask(struct fleet_index *ix, int64_t now)
{
	return index_number(ix, 0, to_ask, "i", now);
}

int64_t index_parts_old(struct fleet_index *ix, int64_t before)
{
	return index_number(ix, 0, old_parts, "i", before);
}
