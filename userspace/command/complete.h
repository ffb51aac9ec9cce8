/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * "rbmap COMMAND [ACTION] --complete", which the scripts in completion/ call. A
 * completion that reads the tables of the installed command needs no copy of
 * them.
 */
#ifndef RBMAP_COMMAND_COMPLETE_H
#define RBMAP_COMMAND_COMPLETE_H

#include <stdbool.h>

struct command;

#define COMPLETE	"--complete"

/* Return whether the command line asks for the table. */
bool complete_wanted(int argc, char **argv);

/*
 * Print a line for each option that is valid after the action (0: after the
 * command). Tabs separate the long name, the short name, the kind of the value
 * and the help. A "-" stands for a missing short name, and for a missing value.
 * Before an action, a command with actions prints their names, too.
 */
void complete_print(const struct command *cmd, unsigned int action);

#endif /* RBMAP_COMMAND_COMPLETE_H */
