/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_AGENT_SHIP_H
#define RBMAP_FLEET_AGENT_SHIP_H

#include <stdbool.h>

#include "command/command.h"

/* `rbmap ship` */
extern const struct command command_ship;

/*
 * rbmap ship status: print what waits in the spool @path. The agent may run meanwhile. Return a
 * status.
 */
int status_print(const char *path, bool json);

#endif /* RBMAP_FLEET_AGENT_SHIP_H */
