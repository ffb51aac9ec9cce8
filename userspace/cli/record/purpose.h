/* SPDX-License-Identifier: GPL-2.0-only */
/* The events that a command needs which reads the recording later (--for). */
#ifndef RBMAP_CLI_RECORD_PURPOSE_H
#define RBMAP_CLI_RECORD_PURPOSE_H

#include <stdbool.h>

#include "command/options.h"

/* Is there such a purpose? */
bool purpose_exists(const char *name);

/*
 * Add the events of a purpose that this kernel has. Say which ones it lacks, unless @quiet.
 * Return false if the list of events cannot be read, or if the patterns are too many; the
 * error is reported.
 */
bool purpose_add_events(const char *name, struct patterns *patterns, bool quiet);

#endif /* RBMAP_CLI_RECORD_PURPOSE_H */
