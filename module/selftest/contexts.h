/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_SELFTEST_CONTEXTS_H
#define RBMAP_SELFTEST_CONTEXTS_H

struct rbmap_buffer;

int rbmap_selftest_start(struct rbmap_buffer *buffer);
void rbmap_selftest_stop(void);
void rbmap_selftest_last(void);

#endif /* RBMAP_SELFTEST_CONTEXTS_H */
