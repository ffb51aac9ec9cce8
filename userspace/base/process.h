/* SPDX-License-Identifier: LGPL-2.1-only */
/* The surroundings of this process: the clock, ignored signals, its PID namespace. */
#ifndef RBMAP_BASE_PROCESS_H
#define RBMAP_BASE_PROCESS_H

#include <stdbool.h>

/* Return the time of CLOCK_MONOTONIC in seconds. */
double now(void);

/* Return true if the caller, such as nohup, lets this command ignore SIGHUP. */
bool hangup_is_ignored(void);

/* If this process may open fewer than @needed files, raise the limit as far as allowed. */
void allow_open_files(unsigned long needed);

/**
 * enum proc_pids - the process ids that /proc has
 * @PROC_PIDS_KERNEL: those of the initial namespace, which events have, too
 * @PROC_PIDS_OWN: those of this process' namespace, as in a container
 * @PROC_PIDS_OTHER: those of another namespace, or /proc cannot be read
 */
enum proc_pids { PROC_PIDS_KERNEL, PROC_PIDS_OWN, PROC_PIDS_OTHER };

enum proc_pids proc_pids(void);

/* Return true if /proc has the process ids that getpid() returns here. */
bool proc_has_own_pids(void);

/*
 * Return true if the paths of cgroups in /proc are those of events. In a cgroup namespace they
 * begin at its root.
 */
bool proc_has_whole_cgroups(void);

#endif /* RBMAP_BASE_PROCESS_H */
