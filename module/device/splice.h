/* SPDX-License-Identifier: GPL-2.0-only */
/* Move or copy sub-buffers to a pipe. */
#ifndef RBMAP_DEVICE_SPLICE_H
#define RBMAP_DEVICE_SPLICE_H

#include <linux/types.h>

struct file;
struct pipe_inode_info;
struct rbmap_gen;

ssize_t rbmap_splice_to_pipe(struct rbmap_gen *gen, struct file *file,
			     struct pipe_inode_info *pipe, size_t len,
			     unsigned int flags, u32 wakeups, const bool *stop);

#endif /* RBMAP_DEVICE_SPLICE_H */
