/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of system calls: sys_enter and sys_exit contain only numbers. */
#ifndef RBMAP_CLI_SYSCALLS_H
#define RBMAP_CLI_SYSCALLS_H

struct tep_handle;

/* Make tep_print_event() print the events of raw_syscalls with names. */
void syscalls_register(struct tep_handle *tep);

/* Return the name, or NULL if this machine has no such system call. */
const char *syscalls_name(long nr);

#endif /* RBMAP_CLI_SYSCALLS_H */
