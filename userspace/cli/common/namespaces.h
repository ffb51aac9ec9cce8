/* SPDX-License-Identifier: GPL-2.0-only */
/* PID namespaces: whose numbers /proc has. */
#ifndef RBMAP_CLI_NAMESPACES_H
#define RBMAP_CLI_NAMESPACES_H

/**
 * enum proc_pids - the process ids that /proc has
 * @PROC_PIDS_KERNEL: those of the initial namespace, which events have, too
 * @PROC_PIDS_OWN: those of this process' namespace, as in a container
 * @PROC_PIDS_OTHER: those of another namespace, or /proc cannot be read
 */
enum proc_pids { PROC_PIDS_KERNEL, PROC_PIDS_OWN, PROC_PIDS_OTHER };

enum proc_pids proc_pids(void);

#endif /* RBMAP_CLI_NAMESPACES_H */
