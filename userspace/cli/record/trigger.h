/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that a flight recorder waits for.  They are looked for in the rings as
 * they are written, without taking anything away.
 */
#ifndef RBMAP_CLI_TRIGGER_H
#define RBMAP_CLI_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/control.h"

struct trigger;

/*
 * Look for events that @pattern names, from now on.  @wanted: which events are
 * recorded.  NULL: complained.
 */
struct trigger *trigger_open(const char *pattern,
			     const struct control_events *events,
			     bool (*wanted)(const void *data,
					    const struct control_event *event),
			     const void *data);
void trigger_close(struct trigger *trigger);

/* Has one come that is in no snapshot yet?  Complains if it can't tell. */
bool trigger_seen(struct trigger *trigger);

/* A snapshot has just been taken: what came before is in it. */
void trigger_covered(struct trigger *trigger);

/* Events that were overwritten before we came to them. */
uint64_t trigger_missed(const struct trigger *trigger);

#endif /* RBMAP_CLI_TRIGGER_H */
