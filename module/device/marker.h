/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/rbmap/marker and marker_raw: user space writes events. */
#ifndef RBMAP_MARKER_H
#define RBMAP_MARKER_H

#include "event/event.h"

struct file_operations;

struct rbmap_buffer;
struct rbmap_event_file;

extern struct rbmap_event_type rbmap_marker_event;
extern struct rbmap_event_type rbmap_marker_raw_event;
extern const struct file_operations rbmap_marker_fops;
extern const struct file_operations rbmap_marker_raw_fops;

void rbmap_marker_begin(struct rbmap_buffer *buf,
			struct rbmap_event_file *event_file,
			struct rbmap_event_file *raw_event_file, bool all);
void rbmap_marker_end(struct rbmap_buffer *buf);

#endif /* RBMAP_MARKER_H */
