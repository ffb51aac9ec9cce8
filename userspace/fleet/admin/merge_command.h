/* SPDX-License-Identifier: GPL-2.0-only */
/* rbmap fleet merge: one recording of the recordings of several hosts. */
#ifndef RBMAP_FLEET_ADMIN_MERGE_COMMAND_H
#define RBMAP_FLEET_ADMIN_MERGE_COMMAND_H

/*
 * @argv[0] is "merge". @directory is the collector's, if no option names another one. Return
 * an exit status.
 */
int fleet_merge(int argc, char **argv, const char *directory);

#endif /* RBMAP_FLEET_ADMIN_MERGE_COMMAND_H */
