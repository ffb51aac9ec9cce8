/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_ADMIN_FLEET_H
#define RBMAP_FLEET_ADMIN_FLEET_H

#include "command/command.h"

/* `rbmap fleet` */
extern const struct command command_fleet;

#endif /* RBMAP_FLEET_ADMIN_FLEET_H */
