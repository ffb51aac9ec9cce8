/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Prints sys_enter and sys_exit with the names of system calls: their records contain
 * only numbers.
 */
#ifndef RBMAP_PRINT_FIELDS_SYSCALLS_H
#define RBMAP_PRINT_FIELDS_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "syscall_abi.h"

struct syscalls_event;
struct tep_event;

/**
 * struct syscalls_machine - the kernel that made the events
 * @native, @compat: architectures of libseccomp; 0: no names are known
 */
struct syscalls_machine {
	uint32_t native, compat;
};

/* Return the machine with that name of uname(2); NULL: this one. */
struct syscalls_machine syscalls_machine(const char *name);

/* The same for "SYSTEM HOST RELEASE MACHINE", as a recording has it; NULL: this one. */
struct syscalls_machine syscalls_machine_of(const char *uname);

/* Do the events of the machine show when a thread executes a 32-bit program? */
bool syscalls_shows_compat(const struct syscalls_machine *machine);

/* Return NULL if this is another event, or if memory is lacking. */
struct syscalls_event *syscalls_event_new(struct tep_event *event);

/* Append the text of a record that has all fields of the event. @compat: of a 32-bit program */
void syscalls_event_print(const struct syscalls_event *event,
			  const struct syscalls_machine *machine, bool compat,
			  const void *record, struct buf *out);

/*
 * Learn from a record whose system calls its thread makes. Return whether they are those of
 * a 32-bit program.
 */
bool syscalls_event_learn(const struct syscalls_event *event,
			  const struct syscalls_machine *machine, const void *record,
			  struct syscall_state *state);

/* Return the name of a record's system call, or NULL if it has none. */
const char *syscalls_event_name(const struct syscalls_event *event,
				const struct syscalls_machine *machine, bool compat,
				const void *record);

/* Return the name, or NULL if the machine has no such system call. */
const char *syscalls_name(const struct syscalls_machine *machine, bool compat, long nr);

/* Return the mark of names of 32-bit programs, such as "i386". */
const char *syscalls_compat_mark(const struct syscalls_machine *machine);

#endif /* RBMAP_PRINT_FIELDS_SYSCALLS_H */
