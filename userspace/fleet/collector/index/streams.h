/* SPDX-License-Identifier: GPL-2.0-only */
/* The streams of the index: files with messages, and what came of each source. */
#ifndef RBMAP_FLEET_COLLECTOR_INDEX_STREAMS_H
#define RBMAP_FLEET_COLLECTOR_INDEX_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "database.h"
#include "message/message.h"
#include "message/stream/batch.h"
#include "message/stream/stream.h"

#define INDEX_SOURCES_MAX	16384	/* sources of a host */
#define INDEX_AHEAD_MAX		4096	/* messages of a source */
#define INDEX_HEADS_MAX		8	/* heads of a buffer */

/**
 * struct index_stream - a source
 * @next: all messages before this one are here, or will never come
 * @events, @lost: events that came, and events that were lost, up to there
 * @unknown: losses without a number
 * @gaps: messages that will never come
 * @totals: sums of the messages before @next, as the host has counted them
 * @number: number of the event behind them
 * @gap_last: messages up to this one that are not here will never come; INDEX_UNKNOWN
 * @gap_totals, @gap_number: the same up to this message
 */
struct index_stream {
	int64_t id;
	uint64_t next;
	uint64_t events, lost, unknown, gaps;
	struct stream_totals totals;
	uint64_t number;
	uint64_t gap_last;
	struct stream_totals gap_totals;
	uint64_t gap_number;
};

/**
 * struct index_ahead - a message that came before an earlier one
 * @lost: MESSAGE_LOST_UNKNOWN: unknown
 * @number: number of the event behind it
 */
struct index_ahead {
	uint64_t seq;
	uint64_t events, lost;
	struct stream_totals before;
	uint64_t number;
};

/**
 * struct index_stream_file - a file of a buffer
 * @begin, @end: times of its first and of its last event, by CLOCK_REALTIME
 * @changed: time of the last message
 */
struct index_stream_file {
	int64_t id;
	int64_t host;
	char boot[BOOT_ID_SIZE];
	char buffer[STREAM_BUFFER_SIZE];
	uint64_t number;
	uint64_t size;
	uint64_t begin, end;
	int64_t changed;
};

/* Return false: the source is not known, or the database failed. */
bool index_stream_find(struct fleet_index *ix, int64_t host, const char *source,
		       struct index_stream *s);
/* Return the number of sources of a host. */
int64_t index_stream_count(struct fleet_index *ix, int64_t host);
/* Find a source, or add it. Return false: the host has too many, or the database failed. */
bool index_stream_get(struct fleet_index *ix, int64_t host, const char *boot,
		      const struct stream_source *source, int64_t now, struct index_stream *s);
void index_stream_put(struct fleet_index *ix, const struct index_stream *s, int64_t now);
/* Return the number of the next message of a source; 0: the source is not known. */
uint64_t index_stream_next(struct fleet_index *ix, int64_t host, const char *source);

bool index_ahead_has(struct fleet_index *ix, int64_t source, uint64_t seq);
uint64_t index_ahead_count(struct fleet_index *ix, int64_t source);
void index_ahead_add(struct fleet_index *ix, int64_t source, const struct index_ahead *a);
/* Store the first one. Return false if the source has no message ahead. */
bool index_ahead_first(struct fleet_index *ix, int64_t source, struct index_ahead *a);
void index_ahead_remove(struct fleet_index *ix, int64_t source, uint64_t seq);

/* Store the last file of a buffer. Return false if the buffer has no file. */
bool index_stream_file_last(struct fleet_index *ix, int64_t host, const char *boot,
			    const char *buffer, struct index_stream_file *f);
/* Add the file, or write its size and times. */
bool index_stream_file_add(struct fleet_index *ix, struct index_stream_file *f);
void index_stream_file_put(struct fleet_index *ix, const struct index_stream_file *f);
/* Store the oldest file, of a host or of all (0). */
bool index_stream_file_oldest(struct fleet_index *ix, int64_t host, struct index_stream_file *f);
/* Remove a file, and the sources of its boot if that is over and has no other file. */
void index_stream_file_remove(struct fleet_index *ix, const struct index_stream_file *f);

/*
 * Return the bytes of all files and heads, and a host that has files and more than @most
 * bytes, or 0.
 */
uint64_t index_stream_bytes(struct fleet_index *ix);
int64_t index_stream_crowded(struct fleet_index *ix, uint64_t most);

/* The files of a row of a selection of these columns */
#define INDEX_STREAM_FILE	"id, host, boot, buffer, number, size, begin, end, changed"
void index_stream_file_row(sqlite3_stmt *st, struct index_stream_file *f);

#endif /* RBMAP_FLEET_COLLECTOR_INDEX_STREAMS_H */
