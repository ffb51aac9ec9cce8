/* SPDX-License-Identifier: GPL-2.0-only */
/* The heads of streams in the index. They stay while a recording can need them. */
#ifndef RBMAP_FLEET_COLLECTOR_INDEX_STREAM_HEADS_H
#define RBMAP_FLEET_COLLECTOR_INDEX_STREAM_HEADS_H

#include <stdbool.h>
#include <stdint.h>

#include "database.h"
#include "message/message.h"
#include "message/stream/stream.h"

/**
 * struct index_buffer - a buffer of a boot of a host
 */
struct index_buffer {
	int64_t host;
	char boot[BOOT_ID_SIZE];
	char buffer[STREAM_BUFFER_SIZE];
};

/* Return the bytes of all heads of a host but the one that is replaced. */
uint64_t index_heads_beside(struct fleet_index *ix, const struct index_buffer *b,
			    uint64_t incarnation);
/* Return the bytes of the heads of a buffer. */
uint64_t index_heads_bytes(struct fleet_index *ix, const struct index_buffer *b);
/* Add or replace a head, and remove the oldest ones beyond the limit. */
void index_head_put(struct fleet_index *ix, const struct index_buffer *b, uint64_t incarnation,
		    uint64_t size, int64_t now);
void index_heads_remove(struct fleet_index *ix, const struct index_buffer *b);

/* Return whether the boot of a buffer is over, and the buffer has no file. */
bool index_buffer_is_over(struct fleet_index *ix, const struct index_buffer *b);
/*
 * Store a buffer with heads that are older than @changed, without a file, whose boot is over or
 * whose host was not seen since @seen. Return false if all are needed.
 */
bool index_heads_old(struct fleet_index *ix, int64_t changed, int64_t seen,
		     struct index_buffer *b);

#endif /* RBMAP_FLEET_COLLECTOR_INDEX_STREAM_HEADS_H */
