/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/rbmap/marker: user space writes events. */
#ifndef RBMAP_MARKER_H
#define RBMAP_MARKER_H

#include "event/event.h"

struct file_operations;

extern struct rbmap_event_type rbmap_marker_event;
extern const struct file_operations rbmap_marker_fops;

#endif /* RBMAP_MARKER_H */
