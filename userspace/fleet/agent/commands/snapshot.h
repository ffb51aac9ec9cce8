/* SPDX-License-Identifier: GPL-2.0-only */
/* Let the flight recorder write a file, and wait until the spool has it. */
#ifndef RBMAP_FLEET_AGENT_COMMANDS_SNAPSHOT_H
#define RBMAP_FLEET_AGENT_COMMANDS_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/incident/ingest.h"
#include "agent/incident/intake.h"

#define SNAPSHOT_SECONDS	30
#define SNAPSHOT_WORDS		32
#define SNAPSHOT_SIZE		1024

/*
 * Run a command, whose words are separated by spaces, without a shell. Wait for its end
 * and for the incident that is @wanted. On failure, return false and store the cause.
 */
bool snapshot_take(const char *command, struct intake *in, struct ingest_wanted *wanted,
		   char *error, size_t size);

#endif /* RBMAP_FLEET_AGENT_COMMANDS_SNAPSHOT_H */
