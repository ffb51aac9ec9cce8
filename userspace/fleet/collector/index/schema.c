// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "database.h"
#include "schema.h"

#define TEXT_OF(x)	#x
#define VERSION_TEXT(x)	TEXT_OF(x)

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
	"COMMIT;";

static bool execute(struct fleet_index *ix, const char *sql)
{
	if (!sqlite3_exec(ix->db, sql, NULL, NULL, NULL))
		return true;
	ix->code = sqlite3_errcode(ix->db);
	snprintf(ix->error, sizeof(ix->error), "%s", sqlite3_errmsg(ix->db));
	return false;
}

bool schema_check(struct fleet_index *ix, bool create)
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
