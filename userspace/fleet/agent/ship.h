/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_AGENT_SHIP_H
#define RBMAP_FLEET_AGENT_SHIP_H

#include "command/command.h"

/* `rbmap ship` */
extern const struct command command_ship;

#endif /* RBMAP_FLEET_AGENT_SHIP_H */
