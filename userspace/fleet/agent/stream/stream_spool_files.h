/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of the spool of streams.
 *
 * Messages are appended to segments. A segment begins with the places up to which the rings
 * were read, and each record moves one of them. A record has a checksum, so that a file can be
 * cut anywhere.
 *
 * The file "gaps" has the messages that were removed before the collector had them: one range
 * for each source. A range stays until the collector has got it.
 */
#ifndef RBMAP_FLEET_AGENT_STREAM_STREAM_SPOOL_FILES_H
#define RBMAP_FLEET_AGENT_STREAM_STREAM_SPOOL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "message/message.h"
#include "message/stream/batch.h"
#include "message/stream/stream.h"

#define SEGMENT_POSITIONS_MAX	65536
#define STREAM_GAPS_MAX		16384

/**
 * struct stream_position - the place up to which a ring was read
 * @number: number of the first event that no record has
 * @time: the ring's time of the event before it
 */
struct stream_position {
	char buffer[STREAM_BUFFER_SIZE];
	int32_t cpu;
	uint32_t generation;
	uint64_t number;
	uint64_t time;
};

/**
 * struct stream_record - what precedes a message
 * @crc: CRC-32 of all that follows, with the message
 * @size: bytes of the message
 * @kind: enum message_kind
 * @number: number of the event behind the last one of the message
 * @time: the ring's time of the last event
 * @lost: events that were lost before it, or MESSAGE_LOST_UNKNOWN
 * @after: sums up to this message
 */
struct stream_record {
	char magic[4];
	uint32_t crc;
	uint32_t size;
	uint32_t kind;
	uint64_t seq;
	uint64_t number;
	uint64_t time;
	uint64_t events;
	uint64_t lost;
	struct stream_totals after;
	char source[SOURCE_NAME_SIZE];
};

/**
 * struct segment_head - the beginning of a segment
 * @boot: the boot of the positions
 * @nr: number of positions, which follow
 */
struct segment_head {
	char magic[4];
	uint32_t crc;
	uint64_t incarnation;
	char boot[40];
	uint32_t nr;
	uint32_t zero;
};

/**
 * struct stream_gap - messages that are gone
 * @first, @last: their numbers
 * @events: events in them
 * @lost: events that were lost before them, as the messages counted
 * @after: sums up to the last one
 * @number: number of the event behind them
 * @sent: the gap was published in its present form
 */
struct stream_gap {
	char source[SOURCE_NAME_SIZE];
	char boot[40];
	uint64_t first;
	uint64_t last;
	uint64_t events;
	uint64_t lost;
	struct stream_totals after;
	uint64_t number;
	uint64_t sent;
};

struct stream_gaps {
	struct stream_gap *v;
	size_t nr;
	size_t room;
};

/* Write the head and the positions. Return their size or a negative errno. */
int64_t segment_write_head(int fd, struct segment_head *head,
			   const struct stream_position *positions);

/*
 * Read the head and the positions, which the caller frees. Return their size, or a negative
 * errno; -EBADMSG: the file does not begin with a valid head.
 */
int64_t segment_read_head(int fd, struct segment_head *head, struct stream_position **positions);

/* Write a record and its message at @offset. Return 0 or a negative errno. */
int segment_write(int fd, uint64_t offset, struct stream_record *record, const void *message);

/*
 * Read the record at @offset, and its message. Return 0 or a negative errno; -EBADMSG: the
 * file has no valid record there.
 */
int segment_read(int fd, uint64_t offset, struct stream_record *record, struct buf *message);

static inline uint64_t segment_record_size(const struct stream_record *record)
{
	return sizeof(*record) + record->size;
}

/* Read and write the file "gaps". Return 0 or a negative errno. */
int stream_gaps_read(struct stream_gaps *gaps, int dir);
int stream_gaps_write(const struct stream_gaps *gaps, int dir);
void stream_gaps_free(struct stream_gaps *gaps);

struct stream_gap *stream_gaps_find(const struct stream_gaps *gaps, const char *source);

/* Add a message to the gap of its source. Return 0 or a negative errno. */
int stream_gaps_add(struct stream_gaps *gaps, const struct stream_record *record,
		    const char *boot);

/* The collector has all before @next. Return whether a gap was removed. */
bool stream_gaps_stored(struct stream_gaps *gaps, const char *source, uint64_t next);

#endif /* RBMAP_FLEET_AGENT_STREAM_STREAM_SPOOL_FILES_H */
