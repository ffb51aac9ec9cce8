/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that are not written, and counted. */
#ifndef RBMAP_BUFFER_WRITE_H
#define RBMAP_BUFFER_WRITE_H

#include <linux/types.h>

struct rbmap_buffer;

bool rbmap_buffer_exclude(const struct rbmap_buffer *buf);

#endif /* RBMAP_BUFFER_WRITE_H */
