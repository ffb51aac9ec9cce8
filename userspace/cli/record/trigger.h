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
 * Search the rings for new events that match @pattern. After a snapshot, events are held
 * off for @holdoff seconds: they are counted, and write no file. @wanted returns which
 * events are recorded. @events must stay until trigger_close(). On failure, report the
 * error and return NULL.
 */
struct trigger *trigger_open(const char *pattern,
			     const struct control_events *events,
			     bool (*wanted)(const void *data,
					    const struct control_event *event),
			     const void *data, double holdoff);
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
 * Return the number of events that were overwritten before they were examined.
 */
uint64_t trigger_missed(const struct trigger *trigger);

#endif /* RBMAP_CLI_TRIGGER_H */
