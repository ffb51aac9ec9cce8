/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that users of trace-cmd and perf know, and what rbmap has instead. */
#ifndef RBMAP_COMMAND_FOREIGN_H
#define RBMAP_COMMAND_FOREIGN_H

/* Return the end of a message about an unknown name, or NULL. */
const char *foreign_command(const char *name);
const char *foreign_event(const char *pattern);

/*
 * The same for an option that a command does not have: its letter, or 0 and the word of the
 * command line.
 */
const char *foreign_option(const char *command, int letter, const char *word);

#endif /* RBMAP_COMMAND_FOREIGN_H */
