/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that no other source has. */
#ifndef RBMAP_SOURCE_FOREIGN_EVENT_H
#define RBMAP_SOURCE_FOREIGN_EVENT_H

#include "event/event.h"
#include "listeners.h"
#include "record_layout.h"

#define RBMAP_GAPS	16

/**
 * struct rbmap_gap - bytes of a record that the kernel may leave unset
 * @at: offset of the first one
 * @len: number of bytes
 * @text: only those behind the end of the text are unset
 */
struct rbmap_gap {
	u16	at;
	u16	len;
	bool	text;
};

/**
 * struct rbmap_foreign_count - events on a CPU
 * @received: records that the kernel has handed over
 * @missed: those among them that came while another one was being recorded
 */
struct rbmap_foreign_count {
	u64	received;
	u64	missed;
};

/**
 * struct rbmap_foreign_event - an event of which the kernel hands its records to perf events
 * @type: the event
 * @listener: hears it on each CPU
 * @preempt: the part of common_preempt_count in perf's records that ftrace's lack
 * @of_tracepoint: it has a tracepoint, but the kernel source cannot have it
 * @made: somebody has made it in tracefs
 * @silent: the kernel hands it to no perf event
 * @layout: the layout of its records
 * @nr_gaps: number of elements of @gap
 * @gap: bytes that the kernel leaves unset
 * @file: data of the probe
 * @count: events on each CPU
 * @format: text of its format file, in which the texts of @fields are
 * @hash: hash of that text as it was
 * @list: entry in the list of all of them
 * @release: entry in the list of those whose perf events are to be released
 * @fields: fields of the format, and an empty one
 */
struct rbmap_foreign_event {
	struct rbmap_event_type		type;
	struct rbmap_listener		listener;
	u8				preempt;
	bool				of_tracepoint;
	bool				made;
	bool				silent;
	struct rbmap_record_layout	layout;
	unsigned int			nr_gaps;
	struct rbmap_gap		gap[RBMAP_GAPS];
	struct rbmap_event_file		*file;
	struct rbmap_foreign_count __percpu *count;
	char				*format;
	u64				hash;
	struct list_head		list;
	struct list_head		release;
	struct rbmap_field		fields[];
};

void rbmap_foreign_events_exit(void);

#endif /* RBMAP_SOURCE_FOREIGN_EVENT_H */
