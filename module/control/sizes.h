/* SPDX-License-Identifier: GPL-2.0-only */
/* The files for sizes and snapshots, of a buffer or of one CPU. */
#ifndef RBMAP_CONTROL_SIZES_H
#define RBMAP_CONTROL_SIZES_H

#include <linux/types.h>

struct rbmap_buffer;

ssize_t rbmap_control_snapshot_show(struct rbmap_buffer *buf, int which,
				    char *page);
ssize_t rbmap_control_snapshot_store(struct rbmap_buffer *buf, int which,
				     const char *name, const char *page,
				     size_t len);
ssize_t rbmap_control_size_show(struct rbmap_buffer *buf, int which,
				bool subbuf, char *page);
ssize_t rbmap_control_size_store(struct rbmap_buffer *buf, int which,
				 bool subbuf, const char *name,
				 const char *page, size_t len);

#endif /* RBMAP_CONTROL_SIZES_H */
