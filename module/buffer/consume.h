/* SPDX-License-Identifier: GPL-2.0-only */
/* Get sub-buffers from a ring.  The caller holds reader_lock. */
#ifndef RBMAP_BUFFER_CONSUME_H
#define RBMAP_BUFFER_CONSUME_H

#include "generation.h"

enum rbmap_get rbmap_get_subbuf(struct rbmap_ring *ring);
u64 rbmap_time_at(struct rbmap_subbuf_header *header, u32 to);
bool rbmap_close_subbuf(struct rbmap_gen *gen, u64 seq);
bool rbmap_get_mapped(struct rbmap_gen *gen);
bool rbmap_get_copy(struct rbmap_gen *gen,
		    struct rbmap_subbuf_header *copy);
bool rbmap_has_closed(const struct rbmap_gen *gen);
struct rbmap_subbuf_header *
rbmap_get_closed(struct rbmap_gen *gen,
		 struct rbmap_subbuf_header *fresh);

#endif /* RBMAP_BUFFER_CONSUME_H */
