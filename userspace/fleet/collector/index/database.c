// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "database.h"
#include "schema.h"

#define BUSY_MS		10000	/* The administrator's command writes one row. */

static void failed(struct fleet_index *ix, int code)
{
	if (ix->code)
		return;
	ix->code = code;
	snprintf(ix->error, sizeof(ix->error), "%s",
		 ix->db ? sqlite3_errmsg(ix->db) : sqlite3_errstr(code));
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
