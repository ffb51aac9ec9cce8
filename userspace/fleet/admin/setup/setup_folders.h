/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_FLEET_ADMIN_SETUP_SETUP_FOLDERS_H
#define RBMAP_FLEET_ADMIN_SETUP_SETUP_FOLDERS_H

/*
 * Make the folders of a transport "dir:/DIRECTORY", and keep those that are there. Return
 * an exit status.
 */
int setup_folders(const char *directory);

#endif /* RBMAP_FLEET_ADMIN_SETUP_SETUP_FOLDERS_H */
