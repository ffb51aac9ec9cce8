/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Record only some of the events (--filter and --pid) while a command runs, or
 * permanently. Functions that return false have reported the error.
 */
#ifndef RBMAP_LIVE_EVENT_SELECT_H
#define RBMAP_LIVE_EVENT_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "command/options.h"
#include "kernel/control.h"

#define MAX_PIDS	256

/* Without selected events, the filter would have to fit all enabled events. */
#define NO_FILTER_EVENTS						\
	"--filter needs -e: it applies to the events that -e names"

/**
 * struct event_select - the wanted filters and pids, and the previous ones
 * @filter: filter for all events that -e names, or NULL
 * @pid: processes whose events are recorded, with their threads and children
 * @old_filter: previous filter of each event, by its place in the list; NULL:
 * not changed
 */
struct event_select {
	const char	*filter;
	unsigned int	pid[MAX_PIDS];
	size_t		nr_pids;

	char		**old_filter;
	char		*old_pids;
	char		*old_fork;
};

/* Store the value of -p in a struct event_select. */
set_option_fn event_select_add_pid;
#define PIDS(structure, member)						\
	OPTION_TO(event_select_add_pid, struct event_select, structure, member)

/*
 * Set the filter of the selected events, which may use the fields that all of
 * them have. If it is invalid, show the kernel's message and change nothing.
 */
bool event_select_filter(struct event_select *event_select, const struct control_events *events);

/* Keep the filters: event_select_end() will not restore the previous ones. */
void event_select_keep(struct event_select *event_select, const struct control_events *events);

/*
 * Set the filter, and record the wanted processes only. Call event_select_end()
 * afterwards in any case.
 */
bool event_select_begin(struct event_select *event_select, const struct control_events *events);

/* Restore the previous filters and pids. */
bool event_select_end(struct event_select *event_select, const struct control_events *events);

#endif /* RBMAP_LIVE_EVENT_SELECT_H */
