/* SPDX-License-Identifier: GPL-2.0-only */
/* rbmap fleet setup: make the folders, the servers' configurations, or the streams. */
#ifndef RBMAP_FLEET_SETUP_H
#define RBMAP_FLEET_SETUP_H

/* @argv[0] is "setup". Return an exit status. */
int fleet_setup(int argc, char **argv);

#endif /* RBMAP_FLEET_SETUP_H */
