/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls by name: sys_enter and sys_exit say numbers only.
 */
#ifndef RBMAP_CLI_SYSCALLS_H
#define RBMAP_CLI_SYSCALLS_H

struct tep_handle;

/* Print raw_syscalls' events with names, in tep_print_event(). */
void syscalls_register(struct tep_handle *tep);

/* NULL: no such call on this machine. */
const char *syscalls_name(long nr);

#endif /* RBMAP_CLI_SYSCALLS_H */
