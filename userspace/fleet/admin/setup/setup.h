/* SPDX-License-Identifier: GPL-2.0-only */
/* rbmap fleet setup: make the folders, the servers' configurations, or the streams. */
#ifndef RBMAP_FLEET_ADMIN_SETUP_SETUP_H
#define RBMAP_FLEET_ADMIN_SETUP_SETUP_H

#include "transport/transport.h"

/*
 * @argv[0] is "setup". @defaults are used where the command line has nothing else. Return an
 * exit status.
 */
int fleet_setup(int argc, char **argv, const struct transport_options *defaults);

#endif /* RBMAP_FLEET_ADMIN_SETUP_SETUP_H */
