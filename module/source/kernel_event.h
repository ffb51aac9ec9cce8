/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own trace events. */
#ifndef RBMAP_SOURCE_KERNEL_EVENT_H
#define RBMAP_SOURCE_KERNEL_EVENT_H

#include <linux/perf_event.h>
#include <linux/trace_events.h>

#include "event/event.h"
#include "record_layout.h"

/*
 * Numbers in the records of aliases, from this one downwards.  The kernel gives its own
 * events the smallest numbers that are free.
 */
#define RBMAP_ALIAS_FIRST	U16_MAX
#define RBMAP_ALIASES_MAX	8192U

/**
 * struct rbmap_alias_count - calls of an alias on a CPU
 * @calls: calls by the tracepoint
 * @received: records that the kernel has handed over
 */
struct rbmap_alias_count {
	u64	calls;
	u64	received;
};

/**
 * enum rbmap_way - how the kernel's records of its own events arrive
 * @RBMAP_WAY_UNCHECKED: nobody has named such an event yet
 * @RBMAP_WAY_ALIAS: each event has an alias, whose records are ours alone
 * @RBMAP_WAY_PERF: each event has a perf event on each CPU
 * @RBMAP_WAY_NONE: they do not arrive
 */
enum rbmap_way {
	RBMAP_WAY_UNCHECKED,
	RBMAP_WAY_ALIAS,
	RBMAP_WAY_PERF,
	RBMAP_WAY_NONE,
};

#ifdef CONFIG_PERF_EVENTS
/**
 * struct rbmap_kernel_event - an event of the kernel, and its alias
 * @type: the event
 * @list: entry in the list of all of them
 * @number: @type of the alias's records
 * @layout: the layout of the records
 * @file: data of the probe
 * @count: calls on each CPU
 * @perf_probe: the function of the kernel that fills a record
 * @call: the alias: a copy of the kernel's structure, whose listeners are ours alone.
 *	count.S reads @count and @perf_probe before it
 * @fields: fields of the format, and an empty one
 */
struct rbmap_kernel_event {
	struct rbmap_event_type		type;
	struct list_head		list;
	u16				number;
	struct rbmap_record_layout	layout;
	struct rbmap_event_file		*file;
	struct rbmap_alias_count __percpu *count;
	void				*perf_probe;
	struct trace_event_call		call;
	struct rbmap_field		fields[];
};

/* count.S: the probe, for any tracepoint; its first argument is @call */
void rbmap_alias_count_call(void);
#endif

enum rbmap_way rbmap_kernel_way(void);
void rbmap_kernel_events_exit(void);

#endif /* RBMAP_SOURCE_KERNEL_EVENT_H */
