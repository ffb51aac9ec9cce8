/* SPDX-License-Identifier: GPL-2.0-only */
/* Read the collector's files of a buffer: which messages a time needs, and the heads. */
#ifndef RBMAP_FLEET_ADMIN_STREAM_STREAM_FILES_H
#define RBMAP_FLEET_ADMIN_STREAM_STREAM_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/index/database.h"
#include "message/message.h"
#include "message/stream/batch.h"
#include "message/stream/stream.h"

/**
 * struct stream_entry - a message with sub-buffers
 * @file: number of its file, @offset and @size: its place there
 */
struct stream_entry {
	struct stream_source source;
	uint64_t seq;
	uint64_t file;
	uint64_t offset;
	uint32_t size;
};

/**
 * struct stream_missed - how many events the kernel had missed at a time of the ring's clock
 * @missed: since the buffer began
 */
struct stream_missed {
	unsigned int cpu;
	uint64_t ring;
	uint64_t missed;
};

/**
 * struct stream_query - a buffer of a boot of a host, and a time
 * @dir: its directory
 * @entry: messages, in the order of CPUs and of events
 * @clock: moments, in the order of the ring's clock
 * @missed: numbers of missed events at these moments, in the order of CPUs and of the clock
 * @heads: heads, the oldest first
 * @damaged: messages that cannot be read
 */
struct stream_query {
	char host[HOST_NAME_SIZE];
	int64_t host_id;
	char boot[BOOT_ID_SIZE];
	char buffer[STREAM_BUFFER_SIZE];
	uint64_t since, until;
	int dir;
	struct stream_entry *entry;
	size_t nr;
	struct stream_clock *clock;
	size_t nr_clocks;
	struct stream_missed *missed;
	size_t nr_missed;
	struct stream_head *heads;
	size_t nr_heads;
	uint64_t damaged;
};

/* Find the messages in the files. Return 0 or a negative errno. */
int stream_query_find(struct stream_query *q, struct fleet_index *ix, const char *directory);
void stream_query_free(struct stream_query *q);

/*
 * Read a message again. Its payload is in @bytes or in @space. Return 0 or a negative errno;
 * -EBADMSG: it is damaged.
 */
int stream_query_read(const struct stream_query *q, const struct stream_entry *e, struct message *m,
		      struct buf *bytes, struct buf *space);

#endif /* RBMAP_FLEET_ADMIN_STREAM_STREAM_FILES_H */
