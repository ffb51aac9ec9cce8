/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which system calls a thread makes: those of 64-bit programs, or on x86 those of 32-bit
 * ones, which have other numbers. An event has the number alone. A thread changes when it
 * executes a program: it enters execve() of one kind, and leaves that of the other.
 */
#ifndef RBMAP_PRINT_FIELDS_SYSCALL_ABI_H
#define RBMAP_PRINT_FIELDS_SYSCALL_ABI_H

#include <stdbool.h>
#include <stdint.h>

enum syscall_abi { ABI_UNKNOWN, ABI_NATIVE, ABI_COMPAT };

/**
 * struct syscall_state - what is known of a thread
 * @fails: whether a 64-bit program's call with this number and first argument would fail
 * @entered: number of the system call that it is in, plus 1; 0: none
 */
struct syscall_state {
	uint8_t abi;
	bool fails;
	int64_t entered;
};

/*
 * The next event of the thread is sys_enter. @wide: an argument has more than 32 bits. @first:
 * the first argument.
 */
void syscall_state_enter(struct syscall_state *s, int64_t nr, bool wide, uint64_t first);
/*
 * The next event of the thread is sys_exit. Return whether the call itself shows that it is
 * one of a 32-bit program: a 64-bit program's would have failed.
 */
bool syscall_state_exit(struct syscall_state *s, int64_t nr, int64_t result);

/* The states of threads, by pid */
struct syscall_states;

struct syscall_states *syscall_states_new(void);	/* NULL: out of memory */
void syscall_states_free(struct syscall_states *states);
/* Return the state of a thread, or NULL: out of memory. It is valid until the next call. */
struct syscall_state *syscall_states_get(struct syscall_states *states, int pid);

/*
 * After events were looked at once: begin again. A thread then has what the first event has
 * said that told its kind.
 */
void syscall_states_rewind(struct syscall_states *states);
/* Remember the present kind of @pid as the first one, if none is known. */
void syscall_states_note(struct syscall_states *states, int pid);
/* Return the first kind of @pid. If it is known, later events change nothing of it. */
enum syscall_abi syscall_states_first(const struct syscall_states *states, int pid);

#endif /* RBMAP_PRINT_FIELDS_SYSCALL_ABI_H */
