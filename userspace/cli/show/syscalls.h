/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints sys_enter and sys_exit with the names of system calls: their records contain
 * only numbers.
 */
#ifndef RBMAP_CLI_SYSCALLS_H
#define RBMAP_CLI_SYSCALLS_H

#include <stdint.h>

#include "common/buf.h"

struct syscalls_event;
struct tep_event;

/* Return NULL if this is another event, or if memory is lacking. */
struct syscalls_event *syscalls_event_new(struct tep_event *event);

/* Append the text of a record that has all fields of the event. */
void syscalls_event_print(const struct syscalls_event *event, const void *record,
			  struct buf *out);

/* Return the name of a record's system call, or NULL if it has none. */
const char *syscalls_event_name(const struct syscalls_event *event, const void *record);

/* Return the name, or NULL if this machine has no such system call. */
const char *syscalls_name(long nr);

#endif /* RBMAP_CLI_SYSCALLS_H */
