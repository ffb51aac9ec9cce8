/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources of streams that are over. Each run of an agent has sources of its own, and a host has
 * a limited number of them. So the sums of old ones are added up, one row for each ring.
 */
#ifndef RBMAP_FLEET_COLLECTOR_INDEX_STREAM_SOURCES_H
#define RBMAP_FLEET_COLLECTOR_INDEX_STREAM_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "database.h"
#include "streams.h"

#define INDEX_SOURCES_MANY	(INDEX_SOURCES_MAX / 4 * 3)

/* Return the next host behind @after that has many sources, or 0. */
int64_t index_sources_crowded(struct fleet_index *ix, int64_t after);
bool index_sources_are_many(struct fleet_index *ix, int64_t host);

/*
 * Fold a source if it is in the older half of its host's sources, has had no message since
 * @before, misses no message, and its ring has a later run. A further message of such a source
 * begins a new source.
 */
void index_sources_fold(struct fleet_index *ix, int64_t host, int64_t before);

/* Remove the sources without files, of boots that are over, without a message since @before. */
void index_sources_forget(struct fleet_index *ix, int64_t host, int64_t before);

/* Store the oldest file of a boot that is over. Return false if the host has only others. */
bool index_stream_file_over(struct fleet_index *ix, int64_t host, struct index_stream_file *f);

#endif /* RBMAP_FLEET_COLLECTOR_INDEX_STREAM_SOURCES_H */
