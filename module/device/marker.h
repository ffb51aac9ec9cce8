/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/rbmap/marker and marker_raw: user space writes events. */
#ifndef RBMAP_MARKER_H
#define RBMAP_MARKER_H

#include <linux/list.h>

#include "event/event.h"

struct file_operations;
struct rbmap_buffer;
struct rbmap_event_file;

/* The events that user space writes. */
enum rbmap_marker_kind {
	RBMAP_MARKER_TEXT,
	RBMAP_MARKER_RAW,
	RBMAP_NR_MARKERS,
};

/**
 * struct rbmap_marker - marker and marker_raw of a buffer
 * @list: entry in the list of all markers
 * @buffer: the buffer, which the marker is freed with
 * @event_file: event files of the markers, or NULL
 * @copies: whether the buffer gets what is written to the default buffer's marker
 * @reaches_all: whether what is written to this marker reaches all buffers
 */
struct rbmap_marker {
	struct list_head	list;
	struct rbmap_buffer	*buffer;
	struct rbmap_event_file	*event_file[RBMAP_NR_MARKERS];
	bool			copies;
	bool			reaches_all;
};

extern struct rbmap_event_type rbmap_marker_event;
extern struct rbmap_event_type rbmap_marker_raw_event;
extern const struct file_operations rbmap_marker_fops;
extern const struct file_operations rbmap_marker_raw_fops;

void rbmap_marker_begin(struct rbmap_marker *marker,
			struct rbmap_event_file *event_file,
			struct rbmap_event_file *raw_event_file);
void rbmap_marker_end(struct rbmap_marker *marker);

#endif /* RBMAP_MARKER_H */
