/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls. */
#ifndef RBMAP_SOURCE_SYSCALL_EVENT_H
#define RBMAP_SOURCE_SYSCALL_EVENT_H

#include <linux/unistd.h>

#include "event/event.h"
#include "record_layout.h"
#include "syscall_record.h"

struct trace_event_call;
struct tracepoint;

/**
 * struct rbmap_syscall_event - a system call's event, at its begin or at its end
 * @type: the event
 * @point: the tracepoint of all calls, and the events that are attached to it
 * @nr: number of the system call
 * @call: the kernel's event, which lives as long as the kernel
 * @layout: the layout of its records
 * @address: for each argument, all bits if it may be an address, else 0
 * @file: data of the probe
 * @count: calls on each CPU
 * @format: text of its format file, in which the texts of @fields are
 * @list: entry in the list of all of them
 * @fields: fields of the format, and an empty one
 */
struct rbmap_syscall_event {
	struct rbmap_event_type		type;
	struct rbmap_syscall_point	*point;
	int				nr;
	const struct trace_event_call	*call;
	struct rbmap_record_layout	layout;
	unsigned long			address[RBMAP_SYSCALL_ARGS];
	struct rbmap_event_file		*file;
	u64 __percpu			*count;
	char				*format;
	struct list_head		list;
	struct rbmap_field		fields[];
};

/**
 * struct rbmap_syscall_point - a tracepoint that all system calls hit
 * @name: its name
 * @probe: the probe, which gets this structure as its first argument
 * @tp: the tracepoint, or NULL before the first event
 * @attached: number of elements of @event that are not NULL
 * @event: for each number of a system call, its event if it is attached
 */
struct rbmap_syscall_point {
	const char			*name;
	void				*probe;
	struct tracepoint		*tp;
	unsigned int			attached;
	struct rbmap_syscall_event	*event[NR_syscalls];
};

void rbmap_syscall_events_exit(void);

#endif /* RBMAP_SOURCE_SYSCALL_EVENT_H */
