// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "message/stream/batch.h"
#include "stream_sources.h"

#define FOLD_MAX	8192	/* sources at once */
#define SUM		"'sum '"	/* No source has such a name. */

static const char crowded[] =
	"SELECT host FROM stream_source WHERE host > ?1 GROUP BY host HAVING count(*) > ?2"
	" ORDER BY host LIMIT 1";
/* The name of a source ends with its incarnation, which counts up. */
static const char over[] =
	"SELECT id FROM (SELECT id, changed, row_number() OVER (PARTITION BY boot, buffer, cpu,"
	"  generation ORDER BY CAST(substr(source, length(rtrim(source, '0123456789')) + 1)"
	"  AS INTEGER) DESC) AS place FROM stream_source WHERE host = ?1"
	"  AND substr(source, 1, 4) <> " SUM ")"
	" WHERE place > 1 AND changed < ?2 AND id < (SELECT id FROM stream_source WHERE host = ?1"
	"  ORDER BY id LIMIT 1 OFFSET ?3)"
	" AND NOT EXISTS (SELECT 1 FROM stream_ahead WHERE stream_ahead.source = id)"
	" LIMIT ?4";
static const char add_sum[] =
	"INSERT OR IGNORE INTO stream_source (host, source, boot, buffer, cpu, generation, changed)"
	" SELECT host, " SUM " || boot || ' ' || buffer || ' ' || cpu || ' ' || generation, boot,"
	" buffer, cpu, generation, changed FROM stream_source WHERE id = ?1";
static const char sums[] =
	"SELECT a.events, b.events, a.lost, b.lost, a.unknown, b.unknown, a.gaps, b.gaps,"
	" max(a.number, b.number), max(a.changed, b.changed), b.id"
	" FROM stream_source AS a JOIN stream_source AS b ON b.host = a.host AND b.source ="
	" " SUM " || a.boot || ' ' || a.buffer || ' ' || a.cpu || ' ' || a.generation"
	" WHERE a.id = ?1";
static const char put_sum[] =
	"UPDATE stream_source SET events = ?2, lost = ?3, unknown = ?4, gaps = ?5, number = ?6,"
	" changed = ?7 WHERE id = ?1";
static const char remove_source[] = "DELETE FROM stream_source WHERE id = ?1";
#define WITHOUT_FILE							\
	" host = ?1 AND changed < ?2"						\
	" AND NOT EXISTS (SELECT 1 FROM host WHERE id = ?1 AND host.boot = stream_source.boot)" \
	" AND NOT EXISTS (SELECT 1 FROM stream_file AS f WHERE f.host = ?1"	\
	"  AND f.boot = stream_source.boot AND f.buffer = stream_source.buffer)"
static const char forget_ahead[] =
	"DELETE FROM stream_ahead WHERE source IN (SELECT id FROM stream_source WHERE"
	WITHOUT_FILE ")";
static const char forget[] = "DELETE FROM stream_source WHERE" WITHOUT_FILE;
static const char file_over[] =
	"SELECT " INDEX_STREAM_FILE " FROM stream_file WHERE host = ?1"
	" AND NOT EXISTS (SELECT 1 FROM host WHERE host.id = ?1 AND host.boot = stream_file.boot)"
	" ORDER BY changed LIMIT 1";

int64_t index_sources_crowded(struct fleet_index *ix, int64_t after)
{
	return index_number(ix, 0, crowded, "ii", after, (int64_t)INDEX_SOURCES_MANY);
}

bool index_sources_are_many(struct fleet_index *ix, int64_t host)
{
	return index_stream_count(ix, host) > INDEX_SOURCES_MANY;
}

/* Sums have an end, which SQLite's own ones do not have. */
static uint64_t sum_at(sqlite3_stmt *st, int column)
{
	return stream_sum(index_u64(st, column), index_u64(st, column + 1));
}

static void fold(struct fleet_index *ix, int64_t id)
{
	uint64_t events, lost, unknown, gaps, number;
	int64_t changed, sum;
	sqlite3_stmt *st;

	index_run(ix, add_sum, "i", id);
	st = index_select(ix, sums, "i", id);
	if (!index_row(ix, st))
		return;
	events = sum_at(st, 0);
	lost = sum_at(st, 2);
	unknown = sum_at(st, 4);
	gaps = sum_at(st, 6);
	number = index_u64(st, 8);
	changed = sqlite3_column_int64(st, 9);
	sum = sqlite3_column_int64(st, 10);
	index_end(st);
	index_run(ix, put_sum, "iuuuuui", sum, events, lost, unknown, gaps, number, changed);
	index_run(ix, remove_source, "i", id);
}

void index_sources_fold(struct fleet_index *ix, int64_t host, int64_t before)
{
	int64_t *ids = calloc(FOLD_MAX, sizeof(*ids)), half = index_stream_count(ix, host) / 2;
	size_t nr = 0;
	sqlite3_stmt *st;

	if (!ids)
		return;
	st = index_select(ix, over, "iiii", host, before, half, (int64_t)FOLD_MAX);
	while (nr < FOLD_MAX && index_row(ix, st))
		ids[nr++] = sqlite3_column_int64(st, 0);
	index_end(st);
	for (size_t i = 0; i < nr; i++)
		fold(ix, ids[i]);
	free(ids);
}

void index_sources_forget(struct fleet_index *ix, int64_t host, int64_t before)
{
	index_run(ix, forget_ahead, "ii", host, before);
	index_run(ix, forget, "ii", host, before);
}

bool index_stream_file_over(struct fleet_index *ix, int64_t host, struct index_stream_file *f)
{
	sqlite3_stmt *st = index_select(ix, file_over, "i", host);

	if (!index_row(ix, st))
		return false;
	index_stream_file_row(st, f);
	index_end(st);
	return true;
}
