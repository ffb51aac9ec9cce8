/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of `rbmap fleet`, which the administrator writes once. */
#ifndef RBMAP_FLEET_ADMIN_DEFAULT_SETTINGS_H
#define RBMAP_FLEET_ADMIN_DEFAULT_SETTINGS_H

#include "command/command.h"
#include "options.h"

#define FLEET_SETTINGS	"/etc/rbmap/fleet.conf"

/*
 * Read FLEET_SETTINGS, if the file exists and the command line names no other settings.
 * Return STATUS_OK, or report an error and return another status.
 */
int read_default_settings(const struct command *cmd, int argc, char **argv,
			  struct fleet_options *o);

#endif /* RBMAP_FLEET_ADMIN_DEFAULT_SETTINGS_H */
