/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events that trigger a flight recorder. It observes the rings, so nothing
 * is consumed.
 */
#ifndef RBMAP_CLI_TRIGGER_H
#define RBMAP_CLI_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/control.h"

struct trigger;

/**
 * struct trigger_options - which events trigger
 * @pattern: pattern of the events; NULL: none
 * @filter: only events for which this filter is true; NULL: all of them
 * @holdoff: seconds after a snapshot in which events are counted, and write no file
 * @self: events of this process trigger, too
 */
struct trigger_options {
	const char *pattern;
	const char *filter;
	double holdoff;
	bool self;
};

/*
 * Search the rings for new events that trigger. @wanted returns which events are recorded.
 * @options and @events must stay until trigger_close(). On failure, report the error and
 * return NULL.
 */
struct trigger *trigger_open(const struct trigger_options *options,
			     const struct control_events *events,
			     bool (*wanted)(const void *data,
					    const struct control_event *event),
			     const void *data);
void trigger_close(struct trigger *trigger);

/*
 * Return whether a matching event has come for which a file is to be written, and write
 * the reason to @reason, in one line. Report if that can't be determined.
 */
bool trigger_fires(struct trigger *trigger, char *reason, size_t size);

/*
 * Call this after a snapshot: it contains all earlier events, and later ones are held off
 * for a while.
 */
void trigger_covered(struct trigger *trigger);

/* Return the number of matching events that were held off. */
uint64_t trigger_held_off(const struct trigger *trigger);

/*
 * Return the number of events that were overwritten before they were examined. @more: set to
 * whether there were more of them, of an unknown number.
 */
uint64_t trigger_missed(const struct trigger *trigger, bool *more);

#endif /* RBMAP_CLI_TRIGGER_H */
