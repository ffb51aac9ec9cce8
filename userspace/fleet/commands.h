/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of the package rbmap-fleet. Each is defined in the folder of its name. */
#ifndef RBMAP_FLEET_COMMANDS_H
#define RBMAP_FLEET_COMMANDS_H

#include "common/cli.h"

extern const struct command command_ship;
extern const struct command command_collect;
extern const struct command command_fleet;

#endif /* RBMAP_FLEET_COMMANDS_H */
