// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "message/message.h"
#include "parts.h"

static const char read_row[] =
	"SELECT parts, received, bitmap, asked FROM incoming WHERE incident = ?1";
static const char write_row[] =
	"INSERT INTO incoming (incident, parts, received, bitmap, changed, ask, asked)"
	" VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0) ON CONFLICT DO UPDATE SET parts = ?2,"
	" received = ?3, bitmap = ?4, changed = ?5, ask = ?6, asked = 0";
static const char set_asked[] =
	"UPDATE incoming SET ask = ?2, asked = asked + 1 WHERE incident = ?1";
static const char remove_row[] = "DELETE FROM incoming WHERE incident = ?1";
static const char of_host[] =
	"SELECT ifnull(sum(incoming.received), 0), count(*) FROM incident"
	" JOIN incoming ON incoming.incident = incident.id"
	" WHERE incident.host = ?1 AND incident.state IN ('incoming', 'damaged')";
static const char complete[] =
	"SELECT min(incoming.incident), incident.host, host.name FROM incoming"
	" JOIN incident ON incident.id = incoming.incident JOIN host ON host.id = incident.host"
	" WHERE incoming.received = incoming.parts GROUP BY incident.host";
static const char to_ask[] =
	"SELECT incident FROM incoming WHERE ask IS NOT NULL AND ask <= ?1 ORDER BY ask LIMIT 1";
static const char old[] = "SELECT incident FROM incoming WHERE changed < ?1 LIMIT 1";

bool index_parts_read(struct fleet_index *ix, int64_t incident, struct index_parts *parts)
{
	sqlite3_stmt *st = index_select(ix, read_row, "i", incident);
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
	index_run(ix, write_row, "iuubiu", parts->incident, parts->parts, parts->received,
		  parts->bitmap, used_bytes(parts), now, ask);
}

void index_parts_asked(struct fleet_index *ix, int64_t incident, uint64_t ask)
{
	index_run(ix, set_asked, "iu", incident, ask);
}

void index_parts_remove(struct fleet_index *ix, int64_t incident)
{
	index_run(ix, remove_row, "i", incident);
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
	sqlite3_stmt *st = index_select(ix, of_host, "i", host);
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
	return index_select(ix, complete, "");
}

int64_t index_parts_to_ask(struct fleet_index *ix, int64_t now)
{
	return index_number(ix, 0, to_ask, "i", now);
}

int64_t index_parts_old(struct fleet_index *ix, int64_t before)
{
	return index_number(ix, 0, old, "i", before);
}
