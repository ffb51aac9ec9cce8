/* SPDX-License-Identifier: GPL-2.0-only */
/* Get sub-buffers from a ring.  The caller holds reader_lock. */
#ifndef RBMAP_BUFFER_CONSUME_H
#define RBMAP_BUFFER_CONSUME_H

#include "generation.h"

bool rbmap_close(struct rbmap_generation *gen, u64 seq);
bool rbmap_take_mapped(struct rbmap_generation *gen);
bool rbmap_take_copy(struct rbmap_generation *gen,
		     struct rbmap_subbuf_header *copy);
bool rbmap_has_closed(const struct rbmap_generation *gen);
struct rbmap_subbuf_header *
rbmap_take_closed(struct rbmap_generation *gen,
		  struct rbmap_subbuf_header *fresh);

#endif /* RBMAP_BUFFER_CONSUME_H */
