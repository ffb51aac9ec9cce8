/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events that trigger a flight recorder. It observes the rings, so nothing
 * is consumed.
 */
#ifndef RBMAP_CLI_TRIGGER_H
#define RBMAP_CLI_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/control.h"

struct trigger;

/*
 * Search the rings for new events that match @pattern. @wanted returns which
 * events are recorded. On failure, report the error and return NULL.
 */
struct trigger *trigger_open(const char *pattern,
			     const struct control_events *events,
			     bool (*wanted)(const void *data,
					    const struct control_event *event),
			     const void *data);
void trigger_close(struct trigger *trigger);

/*
 * Return whether a matching event has come that no snapshot contains. Report if
 * that can't be determined.
 */
bool trigger_seen(struct trigger *trigger);

/* Call this after a snapshot: it contains all earlier events. */
void trigger_covered(struct trigger *trigger);

/*
 * Return the number of events that were overwritten before they were examined.
 */
uint64_t trigger_missed(const struct trigger *trigger);

#endif /* RBMAP_CLI_TRIGGER_H */
