/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that users of trace-cmd and perf know, and what rbmap has instead. */
#ifndef RBMAP_CLI_FOREIGN_H
#define RBMAP_CLI_FOREIGN_H

/* Return the end of a message about an unknown name, or NULL. */
const char *foreign_command(const char *name);
const char *foreign_event(const char *pattern);

#endif /* RBMAP_CLI_FOREIGN_H */
