/* SPDX-License-Identifier: GPL-2.0-only */
/* Free retired rings beyond retired_size_kb. */
#ifndef RBMAP_BUFFER_EXPIRE_H
#define RBMAP_BUFFER_EXPIRE_H

struct rbmap_cpu_buffer;

void rbmap_cpu_buffer_expire(struct rbmap_cpu_buffer *cpu_buf);

#endif /* RBMAP_BUFFER_EXPIRE_H */
