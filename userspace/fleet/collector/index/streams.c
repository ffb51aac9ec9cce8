// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "streams.h"

#define COLUMNS "id, next, events, lost, unknown, gaps, total_events, total_lost, total_unknown," \
	" number, gap_last, gap_events, gap_lost, gap_unknown, gap_number"

static const char find[] =
	"SELECT " COLUMNS " FROM stream_source WHERE host = ?1 AND source = ?2";
static const char add[] =
	"INSERT INTO stream_source (host, source, boot, buffer, cpu, generation, changed)"
	" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
static const char count[] = "SELECT count(*) FROM stream_source WHERE host = ?1";
static const char put[] =
	"UPDATE stream_source SET next = ?2, events = ?3, lost = ?4, unknown = ?5, gaps = ?6,"
	" total_events = ?7, total_lost = ?8, total_unknown = ?9, number = ?10, gap_last = ?11,"
	" gap_events = ?12, gap_lost = ?13, gap_unknown = ?14, gap_number = ?15, changed = ?16"
	" WHERE id = ?1";
static const char next_of[] = "SELECT next FROM stream_source WHERE host = ?1 AND source = ?2";
static const char ahead_has[] = "SELECT 1 FROM stream_ahead WHERE source = ?1 AND seq = ?2";
static const char ahead_count[] = "SELECT count(*) FROM stream_ahead WHERE source = ?1";
static const char ahead_add[] =
	"INSERT INTO stream_ahead (source, seq, events, lost, before_events, before_lost,"
	" before_unknown, number) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
static const char ahead_first[] =
	"SELECT seq, events, lost, before_events, before_lost, before_unknown, number"
	" FROM stream_ahead WHERE source = ?1 ORDER BY seq LIMIT 1";
static const char ahead_remove[] = "DELETE FROM stream_ahead WHERE source = ?1 AND seq = ?2";
static const char file_last[] =
	"SELECT " INDEX_STREAM_FILE " FROM stream_file WHERE host = ?1 AND boot = ?2 AND buffer = ?3"
	" ORDER BY number DESC LIMIT 1";
static const char file_add[] =
	"INSERT INTO stream_file (host, boot, buffer, number, size, begin, end, changed)"
	" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
static const char file_put[] =
	"UPDATE stream_file SET size = ?2, begin = ?3, end = ?4, changed = ?5 WHERE id = ?1";
static const char file_oldest[] =
	"SELECT " INDEX_STREAM_FILE " FROM stream_file WHERE ?1 = 0 OR host = ?1"
	" ORDER BY changed LIMIT 1";
static const char file_remove[] = "DELETE FROM stream_file WHERE id = ?1";
#define OLD_SOURCES							\
	" host = ?1 AND boot = ?2 AND buffer = ?3"				\
	" AND NOT EXISTS (SELECT 1 FROM host WHERE id = ?1 AND boot = ?2)"	\
	" AND NOT EXISTS (SELECT 1 FROM stream_file WHERE host = ?1 AND boot = ?2 AND buffer = ?3)"
static const char ahead_forget[] =
	"DELETE FROM stream_ahead WHERE source IN (SELECT id FROM stream_source WHERE"
	OLD_SOURCES ")";
static const char forget[] = "DELETE FROM stream_source WHERE" OLD_SOURCES;
static const char bytes[] =
	"SELECT (SELECT ifnull(sum(size), 0) FROM stream_file)"
	" + (SELECT ifnull(sum(size), 0) FROM stream_head)";
static const char crowded[] =
	"SELECT host FROM stream_file GROUP BY host HAVING sum(size) + (SELECT"
	" ifnull(sum(size), 0) FROM stream_head WHERE stream_head.host = stream_file.host) > ?1"
	" LIMIT 1";

static void read_totals(sqlite3_stmt *st, int column, struct stream_totals *t)
{
	t->events = sqlite3_column_int64(st, column);
	t->lost = sqlite3_column_int64(st, column + 1);
	t->unknown = sqlite3_column_int64(st, column + 2);
}

static bool read_source(struct fleet_index *ix, sqlite3_stmt *st, struct index_stream *s)
{
	if (!index_row(ix, st))
		return false;
	s->id = sqlite3_column_int64(st, 0);
	s->next = sqlite3_column_int64(st, 1);
	s->events = sqlite3_column_int64(st, 2);
	s->lost = sqlite3_column_int64(st, 3);
	s->unknown = sqlite3_column_int64(st, 4);
	s->gaps = sqlite3_column_int64(st, 5);
	read_totals(st, 6, &s->totals);
	s->number = sqlite3_column_int64(st, 9);
	s->gap_last = index_u64(st, 10);
	read_totals(st, 11, &s->gap_totals);
	s->gap_number = sqlite3_column_int64(st, 14);
	index_end(st);
	return true;
}

bool index_stream_find(struct fleet_index *ix, int64_t host, const char *source,
		       struct index_stream *s)
{
	return read_source(ix, index_select(ix, find, "is", host, source), s);
}

int64_t index_stream_count(struct fleet_index *ix, int64_t host)
{
	return index_number(ix, 0, count, "i", host);
}

bool index_stream_get(struct fleet_index *ix, int64_t host, const char *boot,
		      const struct stream_source *source, int64_t now, struct index_stream *s)
{
	char name[SOURCE_NAME_SIZE];

	stream_source_print(source, name);
	if (index_stream_find(ix, host, name, s))
		return true;
	if (index_stream_count(ix, host) >= INDEX_SOURCES_MAX)
		return false;
	index_run(ix, add, "isssiii", host, name, boot, source->buffer, (int64_t)source->cpu,
		  (int64_t)source->generation, now);
	return index_stream_find(ix, host, name, s);
}

void index_stream_put(struct fleet_index *ix, const struct index_stream *s, int64_t now)
{
	index_run(ix, put, "iuuuuuuuuuuuuuui", s->id, s->next, s->events, s->lost, s->unknown,
		  s->gaps, s->totals.events, s->totals.lost, s->totals.unknown, s->number,
		  s->gap_last, s->gap_totals.events, s->gap_totals.lost, s->gap_totals.unknown,
		  s->gap_number, now);
}

uint64_t index_stream_next(struct fleet_index *ix, int64_t host, const char *source)
{
	return index_number(ix, 0, next_of, "is", host, source);
}

bool index_ahead_has(struct fleet_index *ix, int64_t source, uint64_t seq)
{
	return index_number(ix, 0, ahead_has, "iu", source, seq);
}

uint64_t index_ahead_count(struct fleet_index *ix, int64_t source)
{
	return index_number(ix, 0, ahead_count, "i", source);
}

void index_ahead_add(struct fleet_index *ix, int64_t source, const struct index_ahead *a)
{
	index_run(ix, ahead_add, "iuuuuuuu", source, a->seq, a->events, a->lost,
		  a->before.events, a->before.lost, a->before.unknown, a->number);
}

bool index_ahead_first(struct fleet_index *ix, int64_t source, struct index_ahead *a)
{
	sqlite3_stmt *st = index_select(ix, ahead_first, "i", source);

	if (!index_row(ix, st))
		return false;
	a->seq = sqlite3_column_int64(st, 0);
	a->events = sqlite3_column_int64(st, 1);
	a->lost = index_u64(st, 2);
	read_totals(st, 3, &a->before);
	a->number = sqlite3_column_int64(st, 6);
	index_end(st);
	return true;
}

void index_ahead_remove(struct fleet_index *ix, int64_t source, uint64_t seq)
{
	index_run(ix, ahead_remove, "iu", source, seq);
}

void index_stream_file_row(sqlite3_stmt *st, struct index_stream_file *f)
{
	f->id = sqlite3_column_int64(st, 0);
	f->host = sqlite3_column_int64(st, 1);
	index_copy_text(st, 2, f->boot, sizeof(f->boot));
	index_copy_text(st, 3, f->buffer, sizeof(f->buffer));
	f->number = sqlite3_column_int64(st, 4);
	f->size = sqlite3_column_int64(st, 5);
	f->begin = sqlite3_column_int64(st, 6);
	f->end = sqlite3_column_int64(st, 7);
	f->changed = sqlite3_column_int64(st, 8);
}

static bool take_file(struct fleet_index *ix, sqlite3_stmt *st, struct index_stream_file *f)
{
	if (!index_row(ix, st))
		return false;
	index_stream_file_row(st, f);
	index_end(st);
	return true;
}

bool index_stream_file_last(struct fleet_index *ix, int64_t host, const char *boot,
			    const char *buffer, struct index_stream_file *f)
{
	return take_file(ix, index_select(ix, file_last, "iss", host, boot, buffer), f);
}

bool index_stream_file_add(struct fleet_index *ix, struct index_stream_file *f)
{
	index_run(ix, file_add, "issuuuui", f->host, f->boot, f->buffer, f->number, f->size,
		  f->begin, f->end, f->changed);
	f->id = ix->db ? sqlite3_last_insert_rowid(ix->db) : 0;
	return !ix->code;
}

void index_stream_file_put(struct fleet_index *ix, const struct index_stream_file *f)
{
	index_run(ix, file_put, "iuuui", f->id, f->size, f->begin, f->end, f->changed);
}

bool index_stream_file_oldest(struct fleet_index *ix, int64_t host, struct index_stream_file *f)
{
	return take_file(ix, index_select(ix, file_oldest, "i", host), f);
}

void index_stream_file_remove(struct fleet_index *ix, const struct index_stream_file *f)
{
	index_run(ix, file_remove, "i", f->id);
	index_run(ix, ahead_forget, "iss", f->host, f->boot, f->buffer);
	index_run(ix, forget, "iss", f->host, f->boot, f->buffer);
}

uint64_t index_stream_bytes(struct fleet_index *ix)
{
	return index_number(ix, 0, bytes, "");
}

int64_t index_stream_crowded(struct fleet_index *ix, uint64_t most)
{
	return index_number(ix, 0, crowded, "u", most);
}
