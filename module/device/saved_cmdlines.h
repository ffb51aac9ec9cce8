/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/rbmap/saved_cmdlines: the names of threads. */
#ifndef RBMAP_SAVED_CMDLINES_H
#define RBMAP_SAVED_CMDLINES_H

struct rbmap_buffer;

int rbmap_cmdlines_init(struct rbmap_buffer *buf);
void rbmap_cmdlines_exit(void);

#endif /* RBMAP_SAVED_CMDLINES_H */
