/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/rbmap/marker: user space writes events too. */
#ifndef RBMAP_MARKER_H
#define RBMAP_MARKER_H

#include "event.h"

extern struct rbmap_event rbmap_marker_event;

int rbmap_marker_init(struct rbmap_buffer *buf);
void rbmap_marker_exit(void);

#endif /* RBMAP_MARKER_H */
