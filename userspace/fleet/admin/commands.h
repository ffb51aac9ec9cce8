/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of `rbmap fleet`. Each returns an exit status. */
#ifndef RBMAP_FLEET_ADMIN_COMMANDS_H
#define RBMAP_FLEET_ADMIN_COMMANDS_H

#include "options.h"

/*
 * Copy the files of an incident, or of all hosts of a command, to --output: HOST-ID.dat
 * each, and manifest.txt. No file is replaced.
 */
int fleet_fetch(const struct fleet_options *o);

/* List the hosts with their versions, and with the number of their refused messages. */
int fleet_hosts(const struct fleet_options *o);
/* List the hosts by the number of lost events in their last HELLO. */
int fleet_top(const struct fleet_options *o);

/* List the incidents of a time. */
int fleet_incidents(const struct fleet_options *o);

/*
 * @argv[0] is "merge". @directory is the collector's, if no option names another one. Return
 * an exit status.
 */
int fleet_merge(int argc, char **argv, const char *directory);

/* Print a command with its answers, or an incident with its manifest. */
int fleet_show(const struct fleet_options *o);

/* Tell the hosts to take a snapshot, wait for them, and print their answers. */
int fleet_snapshot(const struct fleet_options *o);

/* rbmap fleet stream: a recording of what each host has streamed in a time. Return a status. */
int fleet_stream(const struct fleet_options *o);

#endif /* RBMAP_FLEET_ADMIN_COMMANDS_H */
