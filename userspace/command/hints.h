/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that users of trace-cmd and perf know, and what rbmap has instead. */
#ifndef RBMAP_COMMAND_HINTS_H
#define RBMAP_COMMAND_HINTS_H

/* Return the end of a message about an unknown name, or NULL. */
const char *command_hint(const char *name);
const char *event_hint(const char *pattern);

/*
 * The same for an option that a command does not have: its letter, or 0 and the word of the
 * command line.
 */
const char *option_hint(const char *command, int letter, const char *word);

#endif /* RBMAP_COMMAND_HINTS_H */
