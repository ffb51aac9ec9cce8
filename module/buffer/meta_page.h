/* SPDX-License-Identifier: GPL-2.0-only */
/* The meta-page and its counters.  The caller holds reader_lock. */
#ifndef RBMAP_BUFFER_META_PAGE_H
#define RBMAP_BUFFER_META_PAGE_H

#include "generation.h"

/*
 * File offset of the slot table.  It lies after the largest possible ring, and not
 * directly after this one, so that a map that is longer than the ring fails.
 */
#define RBMAP_SLOT_TABLE_OFFSET	(1ULL << 40)

void rbmap_meta_init(struct rbmap_gen *gen);
void rbmap_meta_update(struct rbmap_gen *gen);
void rbmap_gen_stats(struct rbmap_gen *gen,
		     struct rbmap_buffer_stats *stats);

#endif /* RBMAP_BUFFER_META_PAGE_H */
