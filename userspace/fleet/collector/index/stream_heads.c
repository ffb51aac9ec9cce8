// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "stream_heads.h"
#include "streams.h"

#define TEXT_OF(x)	#x
#define NUMBER(x)	TEXT_OF(x)
#define OF_BUFFER	" host = ?1 AND boot = ?2 AND buffer = ?3"

static const char beside[] =
	"SELECT sum(size) FROM stream_head WHERE host = ?1"
	" AND NOT (boot = ?2 AND buffer = ?3 AND incarnation = ?4)";
static const char bytes[] = "SELECT sum(size) FROM stream_head WHERE" OF_BUFFER;
static const char put[] =
	"INSERT OR REPLACE INTO stream_head (host, boot, buffer, incarnation, size, changed)"
	" VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
static const char trim[] =
	"DELETE FROM stream_head WHERE" OF_BUFFER " AND incarnation <="
	" (SELECT incarnation FROM stream_head WHERE" OF_BUFFER
	"  ORDER BY incarnation DESC LIMIT 1 OFFSET " NUMBER(INDEX_HEADS_MAX) ")";
static const char remove_all[] = "DELETE FROM stream_head WHERE" OF_BUFFER;
static const char has_use[] =
	"SELECT EXISTS (SELECT 1 FROM stream_file WHERE" OF_BUFFER ")"
	" OR EXISTS (SELECT 1 FROM host WHERE id = ?1 AND boot = ?2)";
static const char old[] =
	"SELECT host, boot, buffer FROM stream_head AS h WHERE changed < ?1"
	" AND NOT EXISTS (SELECT 1 FROM stream_head AS other WHERE other.host = h.host"
	"  AND other.boot = h.boot AND other.buffer = h.buffer AND other.changed >= ?1)"
	" AND NOT EXISTS (SELECT 1 FROM stream_file AS f WHERE f.host = h.host"
	"  AND f.boot = h.boot AND f.buffer = h.buffer)"
	" AND NOT EXISTS (SELECT 1 FROM host WHERE id = h.host AND host.boot = h.boot"
	"  AND last_seen >= ?2)"
	" ORDER BY changed LIMIT 1";

uint64_t index_heads_beside(struct fleet_index *ix, const struct index_buffer *b,
			    uint64_t incarnation)
{
	return index_number(ix, 0, beside, "issu", b->host, b->boot, b->buffer, incarnation);
}

uint64_t index_heads_bytes(struct fleet_index *ix, const struct index_buffer *b)
{
	return index_number(ix, 0, bytes, "iss", b->host, b->boot, b->buffer);
}

void index_head_put(struct fleet_index *ix, const struct index_buffer *b, uint64_t incarnation,
		    uint64_t size, int64_t now)
{
	index_run(ix, put, "issuui", b->host, b->boot, b->buffer, incarnation, size, now);
	index_run(ix, trim, "iss", b->host, b->boot, b->buffer);
}

void index_heads_remove(struct fleet_index *ix, const struct index_buffer *b)
{
	index_run(ix, remove_all, "iss", b->host, b->boot, b->buffer);
}

bool index_buffer_is_over(struct fleet_index *ix, const struct index_buffer *b)
{
	return !index_number(ix, 1, has_use, "iss", b->host, b->boot, b->buffer);
}

bool index_heads_old(struct fleet_index *ix, int64_t changed, int64_t seen,
		     struct index_buffer *b)
{
	sqlite3_stmt *st = index_select(ix, old, "ii", changed, seen);

	if (!index_row(ix, st))
		return false;
	b->host = sqlite3_column_int64(st, 0);
	index_copy_text(st, 1, b->boot, sizeof(b->boot));
	index_copy_text(st, 2, b->buffer, sizeof(b->buffer));
	index_end(st);
	return true;
}
