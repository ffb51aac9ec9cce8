/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots: rings that were replaced, with their unread events. */
#ifndef RBMAP_BUFFER_SNAPSHOT_H
#define RBMAP_BUFFER_SNAPSHOT_H

#include "cpu_buffer.h"

int rbmap_buffer_snapshot(struct rbmap_buffer *buf, int cpu);
void rbmap_buffer_drop_snapshot(struct rbmap_buffer *buf, int cpu);
bool rbmap_buffer_has_snapshot(struct rbmap_buffer *buf, int cpu);
void rbmap_cpu_buffer_set_snapshot(struct rbmap_cpu_buffer *cpu_buf,
				   struct rbmap_gen *snapshot);
struct rbmap_gen *
rbmap_snapshot_of(struct rbmap_cpu_buffer *cpu_buf);
bool rbmap_snapshot_stats(struct rbmap_buffer *buf, int cpu, struct rbmap_buffer_stats *stats);
struct rbmap_gen *
rbmap_cpu_buffer_make_snapshot(struct rbmap_cpu_buffer *cpu_buf);

#endif /* RBMAP_BUFFER_SNAPSHOT_H */
