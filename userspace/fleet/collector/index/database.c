// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "database.h"

#define SCHEMA_VERSION	1
#define BUSY_MS		10000	/* The administrator's command writes one row. */
#define TEXT_OF(x)	#x
#define VERSION_TEXT(x)	TEXT_OF(x)

static void failed(struct fleet_index *ix, int code)
{
	if (ix->code)
		return;
	ix->code = code;
	snprintf(ix->error, sizeof(ix->error), "%s",
		 ix->db ? sqlite3_errmsg(ix->db) : sqlite3_errstr(code));
}

/* synchronous = FULL: a transaction is on the disk when COMMIT returns. */
static const char settings[] =
	"PRAGMA journal_mode = WAL;"
	"PRAGMA synchronous = FULL;"
	"PRAGMA journal_size_limit = 16777216;";

static const char tables[] =
	"BEGIN IMMEDIATE;"
	"CREATE TABLE host ("
	" id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, boot TEXT NOT NULL,"
	" version TEXT, kernel TEXT, first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL,"
	" hello INTEGER, spool_bytes INTEGER, waiting INTEGER, events INTEGER, lost INTEGER,"
	" clock_error INTEGER, time_tai INTEGER,"
	" wants INTEGER NOT NULL DEFAULT 0, turn INTEGER NOT NULL DEFAULT 0);"
	"CREATE INDEX host_wants ON host (turn) WHERE wants;"
	"CREATE INDEX host_turn ON host (turn);"
	"CREATE TABLE incident ("
	" id INTEGER PRIMARY KEY, host INTEGER NOT NULL, name TEXT NOT NULL,"
	" state TEXT NOT NULL, changed INTEGER NOT NULL, time INTEGER NOT NULL,"
	" size INTEGER, sha256 TEXT, events INTEGER, lost INTEGER, reason TEXT, command TEXT,"
	" manifest TEXT, recording INTEGER, cause TEXT,"
	" failures INTEGER NOT NULL DEFAULT 0, hello INTEGER,"
	" UNIQUE (host, name));"
	"CREATE INDEX incident_state ON incident (host, state);"
	"CREATE INDEX incident_stored ON incident (changed, size) WHERE state = 'stored';"
	"CREATE INDEX incident_name ON incident (name);"
	"CREATE INDEX incident_command ON incident (command) WHERE command IS NOT NULL;"
	"CREATE TABLE incoming ("
	" incident INTEGER PRIMARY KEY, parts INTEGER, received INTEGER NOT NULL DEFAULT 0,"
	" bitmap BLOB, changed INTEGER NOT NULL, ask INTEGER,"
	" asked INTEGER NOT NULL DEFAULT 0);"
	"CREATE INDEX incoming_complete ON incoming (incident) WHERE received = parts;"
	"CREATE INDEX incoming_ask ON incoming (ask) WHERE ask IS NOT NULL;"
	"CREATE TABLE command ("
	" id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, action TEXT NOT NULL,"
	" hosts TEXT NOT NULL, reason TEXT NOT NULL, time INTEGER NOT NULL);"
	"CREATE TABLE answer ("
	" command INTEGER NOT NULL, host INTEGER NOT NULL, state TEXT NOT NULL, error TEXT,"
	" incident TEXT, oldest INTEGER, late INTEGER, received INTEGER,"
	" clock_error INTEGER, arrived INTEGER NOT NULL,"
	" PRIMARY KEY (command, host)) WITHOUT ROWID;"
	"CREATE TABLE refused ("
	" host INTEGER NOT NULL, cause TEXT NOT NULL, number INTEGER NOT NULL,"
	" last INTEGER NOT NULL, PRIMARY KEY (host, cause)) WITHOUT ROWID;"
	"PRAGMA user_version = " VERSION_TEXT(SCHEMA_VERSION) ";"
	"COMMIT;";

/* Tables that a database of this version need not have yet */
static const char stream_tables[] =
	"BEGIN IMMEDIATE;"
	"CREATE TABLE IF NOT EXISTS stream_file ("
	" id INTEGER PRIMARY KEY, host INTEGER NOT NULL, boot TEXT NOT NULL, buffer TEXT NOT NULL,"
	" number INTEGER NOT NULL, size INTEGER NOT NULL, begin INTEGER NOT NULL,"
	" end INTEGER NOT NULL, changed INTEGER NOT NULL, UNIQUE (host, boot, buffer, number));"
	"CREATE INDEX IF NOT EXISTS stream_file_changed ON stream_file (changed, size);"
	"CREATE TABLE IF NOT EXISTS stream_source ("
	" id INTEGER PRIMARY KEY, host INTEGER NOT NULL, source TEXT NOT NULL,"
	" boot TEXT NOT NULL, buffer TEXT NOT NULL, cpu INTEGER NOT NULL,"
	" generation INTEGER NOT NULL, next INTEGER NOT NULL DEFAULT 0,"
	" events INTEGER NOT NULL DEFAULT 0, lost INTEGER NOT NULL DEFAULT 0,"
	" unknown INTEGER NOT NULL DEFAULT 0, gaps INTEGER NOT NULL DEFAULT 0,"
	" total_events INTEGER NOT NULL DEFAULT 0, total_lost INTEGER NOT NULL DEFAULT 0,"
	" total_unknown INTEGER NOT NULL DEFAULT 0, number INTEGER NOT NULL DEFAULT 0,"
	" gap_last INTEGER, gap_events INTEGER NOT NULL DEFAULT 0,"
	" gap_lost INTEGER NOT NULL DEFAULT 0, gap_unknown INTEGER NOT NULL DEFAULT 0,"
	" gap_number INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL, UNIQUE (host, source));"
	"CREATE TABLE IF NOT EXISTS stream_ahead ("
	" source INTEGER NOT NULL, seq INTEGER NOT NULL, events INTEGER NOT NULL, lost INTEGER,"
	" before_events INTEGER NOT NULL, before_lost INTEGER NOT NULL,"
	" before_unknown INTEGER NOT NULL, number INTEGER NOT NULL,"
	" PRIMARY KEY (source, seq)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS stream_head ("
	" host INTEGER NOT NULL, boot TEXT NOT NULL, buffer TEXT NOT NULL,"
	" incarnation INTEGER NOT NULL, size INTEGER NOT NULL, changed INTEGER NOT NULL,"
	" PRIMARY KEY (host, boot, buffer, incarnation)) WITHOUT ROWID;"
	"CREATE INDEX IF NOT EXISTS stream_head_changed ON stream_head (changed);"
	"COMMIT;";

static bool execute(struct fleet_index *ix, const char *sql)
{
	if (!sqlite3_exec(ix->db, sql, NULL, NULL, NULL))
		return true;
	ix->code = sqlite3_errcode(ix->db);
	snprintf(ix->error, sizeof(ix->error), "%s", sqlite3_errmsg(ix->db));
	return false;
}

/* Check the version. @create: make the tables of a new database. Return false on an error. */
static bool schema_check(struct fleet_index *ix, bool create)
{
	int64_t version;

	if (create && !execute(ix, settings))
		return false;
	version = index_number(ix, -1, "PRAGMA user_version", "");
	if (ix->code)
		return false;
	/* The version comes last: a reader that finds it finds all tables. */
	if (!version && create)
		return execute(ix, stream_tables) && execute(ix, tables);
	if (version == SCHEMA_VERSION)
		return !create || execute(ix, stream_tables);
	ix->code = SQLITE_SCHEMA;
	if (version)
		snprintf(ix->error, sizeof(ix->error),
			 "its version is %" PRIi64 " and this program reads version %d", version,
			 SCHEMA_VERSION);
	else
		snprintf(ix->error, sizeof(ix->error), "'rbmap collect' has not made it yet");
	return false;
}

static bool open_database(struct fleet_index *ix, const char *path, enum index_mode mode)
{
	static const int flags[] = {
		[INDEX_READ]	= SQLITE_OPEN_READONLY,
		[INDEX_WRITE]	= SQLITE_OPEN_READWRITE,
		[INDEX_CREATE]	= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
	};
	int code = sqlite3_open_v2(path, &ix->db, flags[mode], NULL);
	int keep = 1;

	if (code) {
		failed(ix, code);
		return false;
	}
	sqlite3_busy_timeout(ix->db, BUSY_MS);
	/* A reader that cannot write to the directory needs the log to be there. */
	if (mode == INDEX_CREATE)
		sqlite3_file_control(ix->db, NULL, SQLITE_FCNTL_PERSIST_WAL, &keep);
	return true;
}

bool index_open(struct fleet_index *ix, const char *dir, enum index_mode mode)
{
	char path[PATH_MAX];

	*ix = (struct fleet_index){ 0 };
	if (snprintf(path, sizeof(path), "%s/" INDEX_FILE, dir) >= (int)sizeof(path)) {
		failed(ix, SQLITE_CANTOPEN);
		return false;
	}
	if (open_database(ix, path, mode) && schema_check(ix, mode == INDEX_CREATE))
		return true;
	index_close(ix);
	return false;
}

void index_close(struct fleet_index *ix)
{
	for (unsigned int i = 0; i < ix->nr_statements; i++)
		sqlite3_finalize(ix->statement[i].prepared);
	ix->nr_statements = 0;
	sqlite3_close(ix->db);
	ix->db = NULL;
}

void index_begin(struct fleet_index *ix)
{
	index_clear(ix);
	index_run(ix, "BEGIN IMMEDIATE", "");
}

void index_rollback(struct fleet_index *ix)
{
	/* SQLite has ended the transaction itself after some errors. */
	if (!sqlite3_get_autocommit(ix->db))
		sqlite3_exec(ix->db, "ROLLBACK", NULL, NULL, NULL);
}

bool index_commit(struct fleet_index *ix)
{
	index_run(ix, "COMMIT", "");
	if (ix->code)
		index_rollback(ix);
	return !ix->code;
}

void index_mark(struct fleet_index *ix)
{
	index_run(ix, "SAVEPOINT message", "");
}

void index_unmark(struct fleet_index *ix)
{
	index_run(ix, "RELEASE message", "");
}

void index_undo(struct fleet_index *ix)
{
	index_clear(ix);
	index_run(ix, "ROLLBACK TO message", "");
	index_unmark(ix);
}

bool index_error_of_values(const struct fleet_index *ix)
{
	switch (ix->code & 0xff) {
	case SQLITE_ERROR:
	case SQLITE_TOOBIG:
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
	case SQLITE_RANGE:
		return true;
	default:
		return false;
	}
}

bool index_clear(struct fleet_index *ix)
{
	bool was = ix->code;

	ix->code = 0;
	return was;
}

static sqlite3_stmt *prepare(struct fleet_index *ix, const char *sql)
{
	sqlite3_stmt *st;
	int code;

	for (unsigned int i = 0; i < ix->nr_statements; i++)
		if (ix->statement[i].sql == sql)
			return ix->statement[i].prepared;
	code = ix->nr_statements == INDEX_STATEMENTS ? SQLITE_NOMEM :
		sqlite3_prepare_v3(ix->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL);
	if (code) {
		/* A statement that this database does not know is not an error of values. */
		failed(ix, code == SQLITE_ERROR ? SQLITE_SCHEMA : code);
		return NULL;
	}
	ix->statement[ix->nr_statements].sql = sql;
	ix->statement[ix->nr_statements++].prepared = st;
	return st;
}

static int bind_u64(sqlite3_stmt *st, int at, uint64_t value)
{
	return value > INT64_MAX ? sqlite3_bind_null(st, at) :
				   sqlite3_bind_int64(st, at, (int64_t)value);
}

static int bind_value(sqlite3_stmt *st, int at, char type, va_list *args)
{
	const void *data;

	switch (type) {
	case 'i':
		return sqlite3_bind_int64(st, at, va_arg(*args, int64_t));
	case 'u':
		return bind_u64(st, at, va_arg(*args, uint64_t));
	case 's':
		return sqlite3_bind_text(st, at, va_arg(*args, const char *), -1,
					 SQLITE_TRANSIENT);
	default:
		data = va_arg(*args, const void *);
		return sqlite3_bind_blob64(st, at, data, va_arg(*args, size_t), SQLITE_TRANSIENT);
	}
}

static sqlite3_stmt *bind_all(struct fleet_index *ix, const char *sql, const char *types,
			      va_list *args)
{
	sqlite3_stmt *st = ix->code ? NULL : prepare(ix, sql);
	int code = 0;

	if (!st)
		return NULL;
	sqlite3_reset(st);
	for (int i = 0; types[i] && !code; i++)
		code = bind_value(st, i + 1, types[i], args);
	if (code)
		failed(ix, code);
	return code ? NULL : st;
}

void index_run(struct fleet_index *ix, const char *sql, const char *types, ...)
{
	sqlite3_stmt *st;
	va_list args;

	va_start(args, types);
	st = bind_all(ix, sql, types, &args);
	va_end(args);
	while (index_row(ix, st))
		;
}

sqlite3_stmt *index_select(struct fleet_index *ix, const char *sql, const char *types, ...)
{
	sqlite3_stmt *st;
	va_list args;

	va_start(args, types);
	st = bind_all(ix, sql, types, &args);
	va_end(args);
	return st;
}

bool index_row(struct fleet_index *ix, sqlite3_stmt *st)
{
	int code;

	if (!st || ix->code)
		return false;
	code = sqlite3_step(st);
	if (code == SQLITE_ROW)
		return true;
	if (code != SQLITE_DONE)
		failed(ix, code);
	sqlite3_reset(st);
	return false;
}

void index_end(sqlite3_stmt *st)
{
	if (st)
		sqlite3_reset(st);
}

int64_t index_number(struct fleet_index *ix, int64_t none, const char *sql, const char *types,
		     ...)
{
	sqlite3_stmt *st;
	va_list args;

	va_start(args, types);
	st = bind_all(ix, sql, types, &args);
	va_end(args);
	if (index_row(ix, st) && sqlite3_column_type(st, 0) != SQLITE_NULL)
		none = sqlite3_column_int64(st, 0);
	index_end(st);
	return none;
}

const char *index_text(sqlite3_stmt *st, int column)
{
	const char *text = (const char *)sqlite3_column_text(st, column);

	return text ? text : "";
}

uint64_t index_u64(sqlite3_stmt *st, int column)
{
	return sqlite3_column_type(st, column) == SQLITE_NULL ?
		INDEX_UNKNOWN : (uint64_t)sqlite3_column_int64(st, column);
}

void index_copy_text(sqlite3_stmt *st, int column, char *to, size_t size)
{
	snprintf(to, size, "%s", index_text(st, column));
}
