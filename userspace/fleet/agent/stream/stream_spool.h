/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The spool of streams, the folder "stream" of the spool: segments, and the file "gaps". One
 * thread appends, another one syncs, reads and removes. A segment is removed when the
 * collector has all of it. If the spool is full, the oldest segment is removed, after its
 * messages have become gaps. The last segment stays, because it has the positions. Each run
 * begins a new one.
 */
#ifndef RBMAP_FLEET_AGENT_STREAM_STREAM_SPOOL_H
#define RBMAP_FLEET_AGENT_STREAM_STREAM_SPOOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream_spool_files.h"

#define STREAM_FOLDER		"stream"
#define STREAM_STORED		"stream"	/* the source of STORED for streams */
#define STREAM_SEGMENT_SIZE	(4U << 20)
/* With less, the segment that is written would be all of it. */
#define STREAM_SPOOL_MIN	(2 * STREAM_SEGMENT_SIZE)

/**
 * struct stream_state - what the collector has of a source
 * @next: it has all messages before this one
 * @first: number of the first message that this run has seen in the spool
 * @end: number of the message behind the last one in the spool
 */
struct stream_state {
	char source[SOURCE_NAME_SIZE];
	uint64_t next;
	uint64_t first;
	uint64_t end;
};

/**
 * struct stream_last - the last message of a source in a segment
 * @state: index of its state
 */
struct stream_last {
	size_t state;
	uint64_t seq;
};

/**
 * struct stream_segment - a file
 * @number: its name
 * @begin: bytes of its head
 * @size: bytes that are valid
 * @synced: bytes that are on the disk
 */
struct stream_segment {
	uint64_t number;
	char boot[40];
	uint64_t begin;
	uint64_t size;
	uint64_t synced;
	struct stream_last *last;
	size_t nr_last;
};

/**
 * struct stream_spool - the open spool
 * @lock: protects all that follows, and not the contents of files
 * @fd: descriptor of the last segment
 * @incarnation: the highest one; that of this run, until a ring is opened again
 * @head_lost: a message HEAD of this incarnation was removed
 * @dropped: messages that became gaps in this run
 */
struct stream_spool {
	int dir;
	uint64_t most;
	char boot[40];
	pthread_mutex_t lock;
	int fd;
	uint64_t incarnation;
	uint64_t bytes;
	struct stream_segment *segment;
	size_t nr_segments;
	struct stream_state *state;
	size_t nr_states;
	struct stream_position *position;
	size_t nr_positions;
	struct stream_gaps gaps;
	bool head_lost;
	uint64_t dropped;
};

/* A place of the reader; begin with { .fd = -1 } */
struct stream_cursor {
	uint64_t segment;
	uint64_t offset;
	int fd;
};

/*
 * Open the spool in the folder @dir, and read what an earlier run has left. Return 0 or a
 * negative errno.
 */
int stream_spool_open(struct stream_spool *s, int dir, uint64_t most, const char *boot);
void stream_spool_close(struct stream_spool *s);

/*
 * Append a message. @record has all but the size and the checksum. Return 0, or a negative
 * errno: the spool does not have it, and the same seq can be used again.
 */
int stream_spool_append(struct stream_spool *s, struct stream_record *record,
			const void *message, size_t size);

/* Return an incarnation that no source has, for a ring that was made again. */
uint64_t stream_spool_incarnation(struct stream_spool *s);

/* Write what was appended to the disk. Return 0 or a negative errno. */
int stream_spool_sync(struct stream_spool *s);

/*
 * Read the next message that is on the disk, and not at the collector. Return 1, or 0:
 * no message waits now, or a negative errno.
 */
int stream_spool_next(struct stream_spool *s, struct stream_cursor *cursor,
		      struct stream_record *record, struct buf *message);
void stream_cursor_reset(struct stream_cursor *cursor);

/* The collector has all messages before @next. Return whether that was not known. */
bool stream_spool_stored(struct stream_spool *s, const char *source, uint64_t next);

/* Copy a gap that was not sent, and mark it. Return false if all were sent. */
bool stream_spool_gap(struct stream_spool *s, struct stream_gap *gap);
/* Send all gaps again. */
void stream_spool_gaps_again(struct stream_spool *s);

/* Return whether a gap waits, of one source, or of any (NULL). */
bool stream_spool_has_gap(struct stream_spool *s, const char *source);

/* Return whether the collector has all messages. */
bool stream_spool_is_stored(struct stream_spool *s);

/*
 * Add lines with sources that wait, at most @most, to a HELLO, and with their first messages.
 * A collector with an index of an earlier time waits for messages that are gone.
 */
void stream_spool_list(struct stream_spool *s, struct buf *out, size_t most);

/* Return the position of a ring in this boot, or NULL: it was not read before. */
const struct stream_position *stream_spool_position(const struct stream_spool *s,
						    const char *buffer, int cpu);

/*
 * stream_spool_read.c: read the segments that an earlier run has left. Return 0 or a negative
 * errno.
 */
int stream_spool_load(struct stream_spool *s);

/* Internal: note that a segment has a record. Return 0 or -ENOMEM. */
int stream_spool_note(struct stream_spool *s, struct stream_segment *segment,
		      const struct stream_record *record);
struct stream_segment *stream_spool_add_segment(struct stream_spool *s, uint64_t number);
void stream_segment_name(uint64_t number, char name[32]);

#endif /* RBMAP_FLEET_AGENT_STREAM_STREAM_SPOOL_H */
