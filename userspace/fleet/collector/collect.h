/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_COLLECTOR_COLLECT_H
#define RBMAP_FLEET_COLLECTOR_COLLECT_H

#include "command/command.h"

/* `rbmap collect` */
extern const struct command command_collect;

#endif /* RBMAP_FLEET_COLLECTOR_COLLECT_H */
