/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Record only some of the events (--filter, --pid, --cgroup) while a command runs, or
 * permanently. Functions that return false have reported the error.
 */
#ifndef RBMAP_LIVE_EVENT_SELECT_H
#define RBMAP_LIVE_EVENT_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "command/options.h"
#include "kernel/control.h"

#define MAX_PIDS	256

#define MAX_CGROUPS	16	/* the module's limit */

/* Without selected events, the filter would have to fit all enabled events. */
#define NO_FILTER_EVENTS						\
	"--filter needs -e: it applies to the events that -e names"

/* A cgroup, as the user names it, and the function that finds its path. */
struct named_cgroup {
	const char	*name;
	char		*(*find)(const char *name);
};

/**
 * struct event_select - the wanted filters, pids and cgroups, and the previous ones
 * @filter: filter for all events that -e names, or NULL
 * @pid: processes whose events are recorded, with their threads and children
 * @cgroup: only events of tasks in these cgroups are recorded
 * @old_filter: previous filter of each event, by its place in the list; NULL:
 * not changed
 */
struct event_select {
	const char	*filter;
	unsigned int	pid[MAX_PIDS];
	size_t		nr_pids;
	struct named_cgroup cgroup[MAX_CGROUPS];
	size_t		nr_cgroups;

	char		**old_filter;
	char		*old_pids;
	char		*old_fork;
	char		*old_cgroups;
};

/* Store the value of -p in a struct event_select. */
set_option_fn event_select_add_pid;
#define PIDS(structure, member)						\
	OPTION_TO(event_select_add_pid, struct event_select, structure, member)

/* The options --cgroup, --unit and --container. */
set_option_fn event_select_add_cgroup, event_select_add_unit, event_select_add_container;
#define CGROUP_OPTIONS(structure, member)				\
	{ .name = "cgroup", .arg = "PATH", .kind = "cgroup",		\
	  .target = OPTION_TO(event_select_add_cgroup, struct event_select, structure, member), \
	  .help = "only events of the tasks in this cgroup and below it;\n" \
		  "may be given more than once" },			\
	{ .name = "unit", .arg = "NAME", .kind = "unit",		\
	  .target = OPTION_TO(event_select_add_unit, struct event_select, structure, member), \
	  .help = "the same for a unit of systemd" },			\
	{ .name = "container", .arg = "NAME", .kind = "text",		\
	  .target = OPTION_TO(event_select_add_container, struct event_select, structure, member), \
	  .help = "the same for a container, by its name or id" }

/*
 * Set the filter of the selected events, which may use the fields that all of
 * them have. If it is invalid, show the kernel's message and change nothing.
 */
bool event_select_filter(struct event_select *event_select, const struct control_events *events);

/* Keep the filters: event_select_end() will not restore the previous ones. */
void event_select_keep(struct event_select *event_select, const struct control_events *events);

/*
 * Set the filter, and record the wanted processes and cgroups only. Call event_select_end()
 * afterwards in any case.
 */
bool event_select_begin(struct event_select *event_select, const struct control_events *events);

#define CGROUP_LIST	"set_event_cgroup"

/*
 * Replace the list of cgroups by the lines of @text, which the function divides. A cgroup that
 * has been removed meanwhile is left out.
 */
bool event_select_write_cgroups(char *text);

/* Restore the previous filters, pids and cgroups. */
bool event_select_end(struct event_select *event_select, const struct control_events *events);

#endif /* RBMAP_LIVE_EVENT_SELECT_H */
