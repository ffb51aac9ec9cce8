/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_CLI_HELP_H
#define RBMAP_CLI_HELP_H

struct command;

/* Print the text of "rbmap COMMAND --help". */
void print_command_help(const struct command *cmd);

#endif /* RBMAP_CLI_HELP_H */
