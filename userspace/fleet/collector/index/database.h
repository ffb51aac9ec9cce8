/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The database of the index: SQLite with a write-ahead log, so that the administrator reads
 * it while the collector writes. An error stays until the transaction ends: functions of
 * the index need not be checked one by one, but index_commit() must be.
 *
 * The tables of the index. Times are ns since 1970 by CLOCK_REALTIME, unless their name
 * ends with _tai. Numbers that are not known are NULL.
 *
 * host: a host that has sent a message
 *	name		its name, as the transport knows it
 *	boot, version, kernel
 *			of its last message, and of its last HELLO
 *	first_seen, last_seen
 *			time of its first and its last message
 *	hello		time of its last HELLO; the columns that follow are from there
 *	spool_bytes	bytes in its spool
 *	waiting		incidents in its spool, at most 64
 *	events, lost	of its rings, since the boot
 *	clock_error	of adjtimex(), ns
 *	time_tai	of the host, when it sent HELLO
 *	wants		1: an incident needs a permit, and the host has no permit
 *	turn		number of its last permit: the lowest one is the next to get one
 *
 * incident: an incident of a host; at most one row for each name
 *	state		announced: it is in the host's spool
 *			permitted: the host may send it
 *			incoming: parts of it are here
 *			stored: the file is here, and its SHA-256 was right
 *			damaged: the SHA-256 was wrong, and the parts were removed
 *			lost: the host had to remove it before it was stored
 *			removed: it was stored, and removed by --keep-size or --keep-days
 *	changed		time of the last change of the state
 *	time		time of the trigger; else the time of the first message about it
 *	size, sha256, events, lost, reason, command
 *			from the manifest; size also from HELLO and LOSS
 *	manifest	the text of the manifest
 *	recording	1: librbmap opens the file; 0: it does not
 *	cause		why it was lost
 *	failures	number of times that the SHA-256 was wrong
 *	hello		time of the last HELLO that has listed it
 *
 * incoming: the parts of an incident that is not stored yet
 *	parts		number of all parts; NULL: the manifest has not come
 *	received	number of those that are here
 *	bitmap		bit N of byte N / 8 is set: part N is here
 *	changed		time of the last part or manifest
 *	ask, asked	time of the next MISSING, or NULL; number of those sent
 *
 * command: a command that `rbmap fleet snapshot` has given
 * answer: the answer of a host
 *
 * stream_file: a file with messages of streams
 *	boot, buffer	of the host; number: its name
 *	begin, end	times of its events, by the host
 *
 * stream_head: a file with the head of an incarnation
 *
 * stream_source: what came of a source of streams (message/stream/stream.h)
 *	next		all messages before this one are here, or will never come
 *	events, lost	up to there: that came, that were lost; unknown: losses without a number
 *	gaps		messages that will never come
 *	total_*		sums of the messages up to there, as the host counts them
 *	gap_*		what the last GAP has said
 *			A row "sum BOOT BUFFER CPU GENERATION" has the sums of old sources of a ring.
 * stream_ahead: messages beyond next that are here
 *
 * refused: numbers of messages that were refused. Causes are those of hosts.h, so there
 *	is a limited number of rows for each host. Host 0: hosts beyond the limit.
 */
#ifndef RBMAP_FLEET_COLLECTOR_INDEX_DATABASE_H
#define RBMAP_FLEET_COLLECTOR_INDEX_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_FILE		"index.sqlite"
#define INDEX_STATEMENTS	128
#define INDEX_ERROR_SIZE	256
#define INDEX_UNKNOWN		UINT64_MAX	/* a number that is NULL in the database */

enum index_mode {
	INDEX_READ,		/* the administrator */
	INDEX_WRITE,		/* the administrator who gives a command */
	INDEX_CREATE,		/* the collector */
};

/**
 * struct fleet_index - an open index
 * @statement: prepared statements, found by the address of their text
 * @code: result of SQLite that failed since index_begin() or index_clear(); 0: none
 * @error: its text
 */
struct fleet_index {
	sqlite3 *db;
	struct {
		const char *sql;
		sqlite3_stmt *prepared;
	} statement[INDEX_STATEMENTS];
	unsigned int nr_statements;
	int code;
	char error[INDEX_ERROR_SIZE];
};

/* Open the index in the directory @dir. Return false: ix->error has the cause. */
bool index_open(struct fleet_index *ix, const char *dir, enum index_mode mode);
void index_close(struct fleet_index *ix);

void index_begin(struct fleet_index *ix);
/* Return true if all since index_begin() is on the disk. Otherwise all of it is undone. */
bool index_commit(struct fleet_index *ix);
void index_rollback(struct fleet_index *ix);

/*
 * The part of a transaction since index_mark() can be undone alone, with its error.
 * index_error_of_values() tells whether the error is that of the values, so that the same
 * statement always fails, and not that of the disk or of the memory.
 */
void index_mark(struct fleet_index *ix);
void index_unmark(struct fleet_index *ix);
void index_undo(struct fleet_index *ix);
bool index_error_of_values(const struct fleet_index *ix);

/* Forget an error outside a transaction. Return whether there was one. */
bool index_clear(struct fleet_index *ix);

/*
 * Bind the values to a statement. Its text has static storage. @types has a letter for
 * each: i int64_t; u uint64_t, NULL if it does not fit; s string or NULL; b pointer and
 * size_t. index_run() executes it to its end. index_select() returns it for index_row().
 */
void index_run(struct fleet_index *ix, const char *sql, const char *types, ...);
sqlite3_stmt *index_select(struct fleet_index *ix, const char *sql, const char *types, ...);

/* Go to the next row. Return false at the end, or after an error. */
bool index_row(struct fleet_index *ix, sqlite3_stmt *st);
/* End a selection before its last row. */
void index_end(sqlite3_stmt *st);

/* Return the first column of the first row; @none: without a row, or if it is NULL. */
int64_t index_number(struct fleet_index *ix, int64_t none, const char *sql, const char *types,
		     ...);

/* Columns: "" and INDEX_UNKNOWN for NULL. */
const char *index_text(sqlite3_stmt *st, int column);
uint64_t index_u64(sqlite3_stmt *st, int column);
void index_copy_text(sqlite3_stmt *st, int column, char *to, size_t size);

#endif /* RBMAP_FLEET_COLLECTOR_INDEX_DATABASE_H */
