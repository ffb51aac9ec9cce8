/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --filter and --pid: only some of the events, for as long as a command runs or
 * for good.  Functions that return bool complain where they return false.
 */
#ifndef RBMAP_CLI_EVENT_SELECT_H
#define RBMAP_CLI_EVENT_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/cli.h"
#include "common/control.h"

#define MAX_PIDS	256

/* Without one, an expression would have to suit all events that are on. */
#define NO_FILTER_EVENTS						\
	"--filter wants -e: it is for the events that are named"

/**
 * struct narrow - what was asked for, and what was there before
 * @filter: of all events that -e names, or NULL
 * @pid: whose events, with their threads and children
 * @old_filter: of each event, by its place in the list; NULL: not changed
 */
struct event_select {
	const char	*filter;
	unsigned int	pid[MAX_PIDS];
	size_t		nr_pids;

	char		**old_filter;
	char		*old_pids;
	char		*old_fork;
};

/* What -p was given; a usage error's status, or 0. */
int event_select_add_pid(const struct command *cmd, struct event_select *event_select,
			 const char *text);

/*
 * Filter the selected events, by what all of them must have.  What was wrong is
 * shown as the kernel shows it, and then nothing has changed.
 */
bool event_select_filter(struct event_select *event_select, const struct control_events *events);

/* They stay: nothing is kept for narrow_end(). */
void event_select_keep(struct event_select *event_select, const struct control_events *events);

/* That, and record the tasks alone; then narrow_end() in any case. */
bool event_select_begin(struct event_select *event_select, const struct control_events *events);

/* All is as it was before. */
bool event_select_end(struct event_select *event_select, const struct control_events *events);

#endif /* RBMAP_CLI_EVENT_SELECT_H */
