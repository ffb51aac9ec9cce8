/* SPDX-License-Identifier: GPL-2.0-only */
/* The sizes of rings, and the replacement of rings. */
#ifndef RBMAP_BUFFER_RESIZE_H
#define RBMAP_BUFFER_RESIZE_H

#include "cpu_buffer.h"

/**
 * struct rbmap_snapshots - the snapshots that are made when rings are replaced
 * @charge: as for rbmap_gen_clone_alloc()
 * @gen: the snapshot of each CPU, or NULL
 */
struct rbmap_snapshots {
	gfp_t			charge;
	struct rbmap_gen	*gen[];
};

/* The caller holds the buffer's lock. */
int rbmap_sizes_set(struct rbmap_sizes *sizes, unsigned long size_kb,
		    unsigned long subbuf_size_kb);
bool rbmap_sizes_fit(const struct rbmap_sizes *sizes, unsigned int cpus);
int rbmap_sizes_check_memory(const struct rbmap_sizes *sizes, unsigned int cpus);
int rbmap_buffer_add_ring(struct rbmap_buffer *buf, int cpu,
			  const struct rbmap_sizes *sizes);
int rbmap_buffer_replace(struct rbmap_buffer *buf, int cpu,
			 const struct rbmap_sizes *sizes,
			 enum rbmap_clock clock,
			 struct rbmap_snapshots *snapshots);

/*
 * A buffer can be allocated without rings.  Each caller that is about to write or to read
 * events expands it first.  A module has no use for an error: without memory its events
 * are counted as lost.
 */
int rbmap_buffer_expand(struct rbmap_buffer *buf);
void rbmap_buffer_expand_for_module(struct rbmap_buffer *buf);

/*
 * These functions take the buffer's lock.  For RBMAP_ALL_CPUS, rbmap_buffer_sizes()
 * returns false if the CPUs have different sizes.
 */
bool rbmap_buffer_sizes(struct rbmap_buffer *buf, int cpu,
			struct rbmap_sizes *sizes);
int rbmap_buffer_resize(struct rbmap_buffer *buf, int cpu,
			unsigned long size_kb);
int rbmap_buffer_resize_subbufs(struct rbmap_buffer *buf, int cpu,
				unsigned long subbuf_size_kb);

#endif /* RBMAP_BUFFER_RESIZE_H */
